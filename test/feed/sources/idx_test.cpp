// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/per_stage.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>
#include <ipuflow/feed/sources/idx.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

namespace idx_test {

using namespace ipuflow;
using namespace ipuflow::feed;

using wrong_file = rejected<file_fault>;
using byte_list = std::vector<std::uint8_t>;

namespace {

byte_list idx_bytes(std::uint32_t magic, std::initializer_list<std::uint32_t> extents, std::size_t elements) {
  byte_list bytes;
  const auto number = [&](std::uint32_t n) {
    for (const unsigned shift : {24u, 16u, 8u, 0u}) bytes.push_back(static_cast<std::uint8_t>(n >> shift));
  };
  number(magic);
  for (const std::uint32_t extent : extents) number(extent);
  for (std::size_t i = 0; i < elements; ++i) bytes.push_back(static_cast<std::uint8_t>(i));
  return bytes;
}

file_fault wrong_with(const byte_list& bytes, std::size_t dimensions = 0) {
  try {
    parse_idx(bytes, "f", dimensions);
  } catch (const wrong_file& wrong) {
    return wrong.found();
  }
  return {};
}

constexpr file_fault is(file_wrong kind, std::size_t got, std::size_t limit) {
  return {kind, got, limit, file_name{"f"}};
}

class file_of {
 public:
  file_of(const char* name, const byte_list& bytes) : path_{std::filesystem::temp_directory_path() / name} {
    std::ofstream{path_, std::ios::binary}.write(reinterpret_cast<const char*>(bytes.data()),
                                                 static_cast<std::streamsize>(bytes.size()));
  }
  ~file_of() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

const std::string data = IPUFLOW_EXAMPLE_DATA;

}  // namespace

TEST_CASE("a whole header") {
  const idx_header header = parse_idx(idx_bytes(0x803, {2, 3, 4}, 24), "f");
  CHECK(header.samples == 2);
  CHECK(header.width == 12);
  CHECK(header.offset == 16);
  CHECK(header.extents == per_stage(2, 3, 4));
  CHECK(parse_idx(idx_bytes(0x801, {0}, 0), "f", 1).samples == 0);
}

TEST_CASE("a file cut anywhere is refused, and so is one that goes on") {
  const byte_list fine = idx_bytes(0x803, {2, 3, 4}, 24);
  CHECK(wrong_with(fine) == file_fault{});
  for (std::size_t size = 0; size < fine.size(); ++size) {
    const byte_list cut(fine.begin(), fine.begin() + static_cast<std::ptrdiff_t>(size));
    const auto wanted = size < 4    ? is(file_wrong::header_cut, size, 4)
                        : size < 16 ? is(file_wrong::header_cut, size, 16)
                                    : is(file_wrong::size_differs, size, 40);
    CHECK(wrong_with(cut) == wanted);
  }
  byte_list longer = fine;
  longer.push_back(0);
  CHECK(wrong_with(longer) == is(file_wrong::size_differs, 41, 40));
}

TEST_CASE("what is no IDX file of bytes with these dimensions is refused") {
  CHECK(wrong_with(idx_bytes(0x801, {4}, 4)) == is(file_wrong::magic, 0x801, 0x803));
  CHECK(wrong_with(idx_bytes(0x803, {1, 1, 1}, 1), 1) == is(file_wrong::magic, 0x803, 0x801));
  CHECK(wrong_with(idx_bytes(0xd03, {1, 1, 1}, 4)) == is(file_wrong::magic, 0xd03, 0x803));  // floats
  CHECK(wrong_with(idx_bytes(0x1f8b0803, {0, 0, 0}, 0)).kind == file_wrong::magic);          // still packed
  CHECK(wrong_with(idx_bytes(0x809, {1, 1, 1, 1, 1, 1, 1, 1, 1}, 1)).kind == file_wrong::magic);
}

TEST_CASE("sizes that mean nothing or overflow are refused") {
  CHECK(wrong_with(idx_bytes(0x803, {2, 0, 4}, 0)) == is(file_wrong::no_elements, 0, 1));
  constexpr std::uint32_t most = 0xffffffff;
  CHECK(wrong_with(idx_bytes(0x804, {1, most, most, most}, 0)).kind == file_wrong::sizes_overflow);
  CHECK(wrong_with(idx_bytes(0x803, {most, most, most}, 0)).kind == file_wrong::sizes_overflow);
  CHECK(wrong_with(idx_bytes(0x803, {2, 65536, 65536}, 0)).kind == file_wrong::size_differs);
}

TEST_CASE("images and labels of two files, where they lie") {
  const file_of images{"ipuflow_idx_images", idx_bytes(0x803, {3, 2, 2}, 12)};
  const file_of labels{"ipuflow_idx_labels", idx_bytes(0x801, {3}, 3)};
  const auto d = idx<2, 2>(images.path(), labels.path());
  CHECK(d.size() == 3);
  const auto [image, label] = d[2];
  CHECK(image[0] == 8);
  CHECK(label == 2);
  CHECK(std::get<0>(whole(d | drop(2))).data() == image.data());
  CHECK(std::get<0>(idx(images.path(), labels.path())[1])[3] == 7);
  try {
    (void)idx<4, 4>(images.path(), labels.path());
    FAIL("accepted");
  } catch (const wrong_file& wrong) {
    CHECK(wrong.found() == file_fault{file_wrong::width_differs, 4, 16, file_name{images.path()}});
  }
  const file_of two{"ipuflow_idx_two", idx_bytes(0x801, {2}, 2)};
  try {
    (void)idx(images.path(), two.path());
    FAIL("accepted");
  } catch (const wrong_file& wrong) {
    CHECK(wrong.found() == file_fault{file_wrong::count_differs, 2, 3, file_name{two.path()}});
  }
}

TEST_CASE("the sample of MNIST that comes with the library") {
  const auto train = idx<28, 28>(data + "/train-images-idx3-ubyte", data + "/train-labels-idx1-ubyte");
  const auto test = idx<28, 28>(data + "/t10k-images-idx3-ubyte", data + "/t10k-labels-idx1-ubyte");
  CHECK(train.size() == 2000);
  CHECK(test.size() == 500);
  CHECK(std::get<1>(train[0]) == 5);
  CHECK(std::get<1>(test[0]) == 7);
  std::size_t seen[10]{};
  for (std::size_t i = 0; i < train.size(); ++i) ++seen[std::get<1>(train[i]) % 10];
  for (const std::size_t count : seen) CHECK(count > 150);
}

}  // namespace idx_test
