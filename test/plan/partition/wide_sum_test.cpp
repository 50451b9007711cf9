// SPDX-License-Identifier: BSL-1.0
// Products and sums beyond 64 bits, against those of smaller numbers and against laws.
#include <ipuflow/core/mixed_bits.hpp>
#include <ipuflow/plan/partition/wide_sum.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace wide_sum_test {

using namespace ipuflow;
using plan::impl::product;
using plan::impl::wide_sum;

TEST_CASE("products") {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  static_assert(product(most, most) == wide_sum{most - 1, 1});
  static_assert(product(most, 2) == wide_sum{1, most - 1});
  static_assert(product(std::uint64_t{1} << 40, std::uint64_t{1} << 40) == wide_sum{std::uint64_t{1} << 16, 0});
  static_assert(product(0xffff'ffff, 0xffff'ffff) == wide_sum{0, 0xffff'fffe'0000'0001});
  static_assert(product(0, most) == wide_sum{});
}

TEST_CASE("a carry goes into the upper half, which is compared first") {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  static_assert(wide_sum{0, most} + wide_sum{0, 1} == wide_sum{1, 0});
  static_assert(wide_sum{3, most} + wide_sum{4, most} == wide_sum{8, most - 1});
  static_assert(wide_sum{0, 5} + wide_sum{1, 0} == wide_sum{1, 5});
  static_assert(wide_sum{1, 0} > wide_sum{0, most} && wide_sum{1, 2} < wide_sum{1, 3});
}

TEST_CASE("products are distributive and commute") {
  for (std::uint64_t n = 0; n < 1000; ++n) {
    const std::uint64_t a = mixed_bits(3 * n), b = mixed_bits(3 * n + 1) >> 1, c = mixed_bits(3 * n + 2) >> 1;
    CHECK(product(a, b) == product(b, a));
    CHECK(product(a >> 1, b + c) == product(a >> 1, b) + product(a >> 1, c));
  }
}

}  // namespace wide_sum_test
