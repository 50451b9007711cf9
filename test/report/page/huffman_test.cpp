// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/huffman.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace huffman_test {

using namespace ipuflow;
using report::impl::huffman_of;

/// The sum of 2^-length, in units of 2^-16: 65,536 of a full code.
std::size_t fullness(const report::impl::huffman_code& code) {
  std::size_t sum = 0;
  for (const std::uint8_t length : code.lengths) sum += length > 0 ? std::size_t{1} << (16 - length) : 0;
  return sum;
}

TEST_CASE("the code of frequencies that a book works out") {
  // a 45, b 13, c 12, d 16, e 9, f 5: words of 1, 3, 3, 3, 4 and 4 bits [Cormen et al., 16.3]
  const auto code = huffman_of(std::vector<std::uint32_t>{45, 13, 12, 16, 9, 5}, 15);
  CHECK(code.lengths == std::vector<std::uint8_t>{1, 3, 3, 3, 4, 4});
  // canonical: 0, 100, 101, 110, 1110, 1111; the bit that is sent first is the lowest
  CHECK(code.words == std::vector<std::uint16_t>{0b0, 0b001, 0b101, 0b011, 0b0111, 0b1111});
}

TEST_CASE("symbols that do not occur have no word, and a single one has one of a bit") {
  CHECK(huffman_of(std::vector<std::uint32_t>{0, 0, 0}, 15).lengths == std::vector<std::uint8_t>{0, 0, 0});
  CHECK(huffman_of(std::vector<std::uint32_t>{0, 7, 0}, 15).lengths == std::vector<std::uint8_t>{0, 1, 0});
  CHECK(huffman_of(std::vector<std::uint32_t>{3, 0, 1}, 15).lengths == std::vector<std::uint8_t>{1, 0, 1});
}

TEST_CASE("words are bounded, the code stays full, and what occurs more often has no longer word") {
  // Frequencies of Fibonacci have the longest words there are.
  std::vector<std::uint32_t> often{1, 1};
  while (often.size() < 40) often.push_back(often[often.size() - 1] + often[often.size() - 2]);
  for (const std::size_t most : {std::size_t{7}, std::size_t{9}, std::size_t{15}}) {
    const auto code = huffman_of(often, most);
    CHECK(fullness(code) == 65536);
    for (std::size_t s = 0; s < often.size(); ++s) {
      CHECK(code.lengths[s] >= 1);
      CHECK(code.lengths[s] <= most);
      if (s > 0) CHECK(code.lengths[s] <= code.lengths[s - 1]);
    }
  }
  CHECK(fullness(huffman_of(std::vector<std::uint32_t>(286, 1), 15)) == 65536);
}

}  // namespace huffman_test
