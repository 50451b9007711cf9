// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/wrapping.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace wrapping_test {

using ipuflow::wrapping_product;
using ipuflow::wrapping_sum;

constexpr std::uint64_t most = ~std::uint64_t{0};

static_assert(wrapping_sum(2, 3) == 5 && wrapping_product(2, 3) == 6);
static_assert(wrapping_sum(most, 1) == 0 && wrapping_sum(most, most) == most - 1);
static_assert(wrapping_product(most, most) == 1 && wrapping_product(most, 2) == most - 1);

TEST_CASE("sums and products wrap around as those of the language do, at run time, too") {
  std::uint64_t x = 0x9e3779b97f4a7c15u;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t y = wrapping_product(x, x | 1);
    const std::uint64_t low = (x & 0xffffffffu) * ((x | 1) & 0xffffffffu);  // by halves of 32 bits, which fit
    const std::uint64_t middle = (x >> 32) * ((x | 1) & 0xffffffffu) % 0x100000000u + (x & 0xffffffffu) * (x >> 32) % 0x100000000u;
    CHECK(y == (((middle % 0x100000000u + (low >> 32)) % 0x100000000u) << 32 | (low & 0xffffffffu)));
    CHECK(wrapping_sum(y, ~y) == most);
    CHECK(wrapping_sum(wrapping_sum(y, ~y), 1) == 0);
    x = wrapping_sum(y, x);
  }
}

}  // namespace wrapping_test
