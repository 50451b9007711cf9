// SPDX-License-Identifier: BSL-1.0
// Sums and products modulo 2^64 for hashes and random numbers, where to wrap around is meant: a sanitizer of unsigned
// overflow, which reports any other, has nothing to say of these.
#pragma once

#include <cstdint>

namespace ipuflow {

constexpr std::uint64_t wrapping_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  (void)__builtin_add_overflow(a, b, &sum);
  return sum;
}

constexpr std::uint64_t wrapping_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  (void)__builtin_mul_overflow(a, b, &product);
  return product;
}

}  // namespace ipuflow
