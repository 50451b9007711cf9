// SPDX-License-Identifier: BSL-1.0
// The mixing of splitmix64 (Steele, Lea, Flood 2014): whatever is random here is a function of numbers that say where it
// is used, the same on every machine and in any order.
#pragma once

#include <ipuflow/core/wrapping.hpp>

#include <cstdint>

namespace ipuflow {

/// Every bit of the result depends on every bit of `x`.
constexpr std::uint64_t mixed_bits(std::uint64_t x) {
  x = wrapping_sum(x, 0x9e3779b97f4a7c15u);
  x = wrapping_product(x ^ (x >> 30), 0xbf58476d1ce4e5b9u);
  x = wrapping_product(x ^ (x >> 27), 0x94d049bb133111ebu);
  return x ^ (x >> 31);
}

}  // namespace ipuflow
