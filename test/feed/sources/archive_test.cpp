// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/sources/archive.hpp>

#include "made_arrays.hpp"
#include "made_file.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace archive_test {

using namespace ipuflow;
using test::byte_list;

namespace {

const byte_list abc{'a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c', '!'};
const byte_list abc_packed{0x4b, 0x4c, 0x4a, 0x4e, 0xc4, 0x40, 0x8a, 0x00};

/// All entries, one behind the other.
std::string all_of(const byte_list& bytes) {
  const test::made_file file{"archive.zip", bytes};
  const feed::impl::archive in{feed::impl::map_file(file.path())};
  std::string text;
  for (const auto& e : in.entries()) {
    const auto read = in.read(e, e.name);
    text += e.name + "=" + std::string{read.bytes.begin(), read.bytes.end()} + ";";
  }
  return text;
}

std::string refused(const byte_list& bytes) {
  const test::made_file file{"archive.zip", bytes};
  return test::sentence_of<rejected<feed::array_fault>>(file.path(), [&] {
    const feed::impl::archive in{feed::impl::map_file(file.path())};
    for (const auto& e : in.entries()) (void)in.read(e, e.name);
  });
}

byte_list with(byte_list bytes, std::size_t at, std::uint64_t number, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<std::uint8_t>(number >> 8 * i);
  return bytes;
}

}  // namespace

TEST_CASE("entries stored and packed, sizes of 32 and of 64 bits, a comment at the end") {
  const std::string there = "x=plain;y=abcabcabcabcabcabcabc!;";
  for (const bool wide : {false, true}) {
    CHECK(all_of(test::zip_of({{"x", {'p', 'l', 'a', 'i', 'n'}, {}, wide}, {"y", abc, abc_packed, wide}})) == there);
  }
  CHECK(all_of(test::zip_of({{"x", {'p', 'l', 'a', 'i', 'n'}}, {"y", abc, abc_packed}}, "made by hand")) == there);
  CHECK(all_of(test::zip_of({})) == "");
}

TEST_CASE("what is wrong with an archive is said") {
  const byte_list whole = test::zip_of({{"y", abc, abc_packed}});
  const std::size_t directory = 30 + 1 + abc_packed.size();
  CHECK(refused({'n', 'o'}) == "ipuflow: 'f' is no .npz file, it has no directory of a zip file at its end; write it with numpy.savez");
  CHECK(refused(byte_list(whole.begin(), whole.end() - 1)).find("is no .npz file") != std::string::npos);
  CHECK(refused(with(whole, directory + 20, 5000, 4)) ==
        "ipuflow: the directory of 'f' says that something ends at byte 5031 but the file has " + std::to_string(whole.size()) +
            "; it is damaged, get it anew");
  CHECK(refused(with(whole, directory, 0, 4)) == "ipuflow: the directory of 'f' is damaged at byte 39; get the file anew");
  CHECK(refused(with(whole, 0, 0, 4)) == "ipuflow: the directory of 'f' is damaged at byte 0; get the file anew");
  CHECK(refused(with(whole, directory + 8, 1, 2)) == "ipuflow: 'y' is encrypted; write the archive without a password");
  CHECK(refused(with(whole, directory + 10, 12, 2)) ==
        "ipuflow: 'y' is packed by method 12 of zip, 0 and 8 are known; write it with numpy.savez or savez_compressed");
  CHECK(refused(with(whole, directory + 24, 23, 4)) ==
        "ipuflow: what is packed in 'y' does not unpack to the 23 bytes announced; it is damaged, get it anew");
  CHECK(refused(with(whole, directory + 24, 0x7fffffff, 4)).find("does not unpack to the 2147483647 bytes") != std::string::npos);
  CHECK(refused(with(whole, directory + 10, 0, 2)).find("does not unpack to the 22 bytes") != std::string::npos);
  CHECK(refused(with(whole, directory + 16, 7, 4)) ==
        "ipuflow: 'y' has changed since it was packed, its checksum is " + std::to_string(crc32(abc.data(), abc.size())) +
            " and should be 7; get it anew");
  const byte_list wide = test::zip_of({{"y", abc, abc_packed, true}});
  const std::size_t end64 = wide.size() - 22 - 20;
  CHECK(refused(with(wide, end64 + 8, ~std::uint64_t{0}, 8)).find("something ends at byte 18446744073709551615") != std::string::npos);
  const std::size_t sizes = 30 + 1 + 28 + abc_packed.size() + 46 + 1 + 4;
  CHECK(refused(with(wide, sizes + 2, 8, 2)).find("is damaged at byte") != std::string::npos);
}

}  // namespace archive_test
