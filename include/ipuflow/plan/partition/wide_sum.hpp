// SPDX-License-Identifier: BSL-1.0
// A whole number below 2 to the 128, made of products of two counts: squares of times are added up in it, and ratios are
// compared by it, exactly and in constant expressions.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace ipuflow::plan::impl {

struct wide_sum {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend constexpr auto operator<=>(const wide_sum&, const wide_sum&) = default;

  friend constexpr wide_sum operator+(const wide_sum& a, const wide_sum& b) {
    const std::uint64_t sum = a.low + b.low;
    return {a.high + b.high + (sum < a.low ? 1 : 0), sum};
  }
};

/// The product of two counts.
[[nodiscard]] constexpr wide_sum product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t half = 0xffff'ffff;
  if (a <= half && b <= half) return {0, a * b};
  const std::uint64_t low = (a & half) * (b & half);
  const std::uint64_t one = (a >> 32) * (b & half) + (low >> 32);
  const std::uint64_t other = (a & half) * (b >> 32) + (one & half);
  return {(a >> 32) * (b >> 32) + (one >> 32) + (other >> 32), (other << 32) | (low & half)};
}

}  // namespace ipuflow::plan::impl
