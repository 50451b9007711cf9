// SPDX-License-Identifier: BSL-1.0
// The first numbers of the published generator, and that a bit changes half of the others.
#include <ipuflow/core/mixed_bits.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>

namespace mixed_bits_test {

using ipuflow::mixed_bits;

static_assert(mixed_bits(0) == 0xe220a8397b1dcdafu);  // splitmix64 seeded with 0
static_assert(mixed_bits(0x9e3779b97f4a7c15u) == 0x6e789e6aa1b965f4u);
static_assert(mixed_bits(2 * 0x9e3779b97f4a7c15u) == 0x06c45d188009454fu);

TEST_CASE("a bit more or less changes about half of the bits") {
  int changed = 0;
  for (std::uint64_t x = 0; x < 64; ++x) {
    for (int bit = 0; bit < 64; ++bit) changed += std::popcount(mixed_bits(x) ^ mixed_bits(x ^ (std::uint64_t{1} << bit)));
  }
  CHECK(changed > 64 * 64 * 31);
  CHECK(changed < 64 * 64 * 33);
}

}  // namespace mixed_bits_test
