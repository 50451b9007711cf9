// SPDX-License-Identifier: BSL-1.0
// Streams made by zlib 1.2.13: a block of each kind.
#include <ipuflow/feed/sources/inflate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace inflate_test {

namespace {

using byte_list = std::vector<std::uint8_t>;

/// zlib.compressobj(0 or 9, zlib.DEFLATED, -15, 9, strategy) of what the tests expect.
const byte_list stored{
    1, 5, 0, 250, 255, 112, 108, 97, 105, 110};
const byte_list fixed{
    75, 76, 74, 78, 196, 64, 138, 0};
const byte_list zeros{
    237, 193, 49, 1, 0, 0, 0, 194, 160, 245, 79, 109, 13, 15, 160, 0, 0, 128, 119, 3};
const byte_list dynamic{
    53, 209, 81, 114, 132, 32, 16, 0, 209, 171, 244, 85, 22, 5, 132, 117, 69, 113, 197, 251, 223, 36, 109, 37, 153, 239,
    169, 230, 77, 65, 152, 98, 102, 109, 253, 34, 213, 246, 37, 127, 206, 192, 126, 231, 198, 114, 76, 43, 75, 143, 59,
    109, 106, 51, 233, 44, 131, 185, 215, 64, 9, 253, 205, 216, 107, 164, 111, 53, 49, 206, 125, 163, 46, 57, 17, 29, 242,
    82, 87, 246, 115, 4, 234, 214, 111, 234, 62, 220, 11, 229, 160, 246, 249, 67, 57, 211, 95, 47, 246, 229, 98, 58, 150,
    155, 124, 239, 133, 243, 147, 3, 173, 166, 64, 111, 107, 33, 78, 225, 197, 112, 120, 9, 164, 8, 36, 8, 36, 8, 164, 8,
    228, 22, 200, 37, 144, 217, 32, 187, 64, 62, 2, 57, 4, 18, 5, 114, 11, 36, 8, 100, 21, 248, 235, 75, 2, 217, 4, 122,
    239, 230, 158, 64, 222, 2, 9, 2, 25, 2, 255, 122, 2, 89, 5, 210, 4, 18, 4, 242, 21, 200, 37, 144, 44, 144, 251, 241,
    221, 2, 201, 2, 185, 4, 242, 21, 72, 16, 72, 19, 200, 42, 144, 221, 32, 179, 64, 134, 64, 130, 64, 222, 2, 137, 2, 73,
    2, 217, 4, 146, 30, 95, 20, 200, 42, 240, 185, 119, 227, 22, 72, 20, 200, 33, 144, 143, 192, 255, 94, 236, 92, 2, 185,
    5, 250, 41, 167, 239, 10, 36, 8, 164, 8, 228, 37, 144, 33, 144, 40, 144, 46, 144, 38, 144, 83, 32, 89, 32, 147, 64,
    162, 65, 154, 64, 138, 64, 170, 64, 186, 64, 170, 64, 252, 147, 193, 46, 144, 156, 30, 159, 64, 170, 64, 198, 115, 111,
    23, 200, 16, 72, 17, 200, 44, 144, 100, 239, 7};

bool unpacks(const byte_list& from, byte_list& to) { return ipuflow::feed::impl::inflater{from, to}.run(); }

std::string unpacked(const byte_list& from, std::size_t size) {
  byte_list to(size);
  CHECK(unpacks(from, to));
  return {to.begin(), to.end()};
}

std::string pattern() {
  std::string text(600, ' ');
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i % 5 != 0) text[i] = static_cast<char>((i * i / 7 + i) % 23 + 65);
  }
  return text;
}

}  // namespace

TEST_CASE("blocks of each kind unpack to what zlib was given") {
  CHECK(unpacked(stored, 5) == "plain");
  CHECK(unpacked(fixed, 22) == "abcabcabcabcabcabcabc!");
  CHECK(unpacked(zeros, 3000) == std::string(3000, '\0'));
  CHECK(unpacked(dynamic, 600) == pattern());
}

TEST_CASE("an output of another size, or less input, is no success") {
  for (const byte_list* from : {&stored, &fixed, &zeros, &dynamic}) {
    const std::size_t size = from == &stored ? 5 : from == &fixed ? 22 : from == &zeros ? 3000 : 600;
    byte_list more(size + 1), less(size - 1), same(size);
    CHECK(!unpacks(*from, more));
    CHECK(!unpacks(*from, less));
    for (std::size_t cut = 0; cut < from->size(); ++cut) CHECK(!unpacks({from->begin(), from->begin() + static_cast<std::ptrdiff_t>(cut)}, same));
  }
}

TEST_CASE("damaged input never leads outside, whatever it unpacks to") {
  byte_list to(600);
  for (const byte_list* from : {&fixed, &dynamic}) {
    for (std::size_t i = 0; i < from->size(); ++i) {
      for (int by = 1; by < 256; by *= 2) {
        byte_list changed = *from;
        changed[i] = static_cast<std::uint8_t>(changed[i] ^ by);
        (void)unpacks(changed, to);
      }
    }
  }
}

TEST_CASE("what no encoder writes is refused") {
  byte_list to(5);
  CHECK(!unpacks({7}, to));                                // a block of the fourth kind
  CHECK(!unpacks({1, 5, 0, 0, 0, 1, 2, 3, 4, 5}, to));     // a length that its complement denies
  CHECK(!unpacks({0x4b, 0x04, 0x42, 0x00, 0x00}, to));     // a copy from before the beginning
  CHECK(!unpacks({}, to));
}

}  // namespace inflate_test
