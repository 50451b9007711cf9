// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/crc32.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>

namespace crc32_test {

using ipuflow::crc32;

constexpr std::array<std::uint8_t, 9> digits{'1', '2', '3', '4', '5', '6', '7', '8', '9'};
static_assert(crc32(digits.data(), 9) == 0xcbf43926);  // the standard's check
static_assert(crc32(digits.data(), 0) == 0);
static_assert(crc32(digits.data() + 3, 6, crc32(digits.data(), 3)) == crc32(digits.data(), 9));

TEST_CASE("each bit of the input changes the sum") {
  for (std::size_t bit = 0; bit < 72; ++bit) {
    auto changed = digits;
    changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ 1 << bit % 8);
    CHECK(crc32(changed.data(), 9) != 0xcbf43926);
  }
}

}  // namespace crc32_test
