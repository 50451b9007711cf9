// SPDX-License-Identifier: BSL-1.0
// Random numbers that are a function of where they are used: number i of stream s is the same on every machine, in any
// order and however many threads ask. A stream is splitmix64 (Steele, Lea, Flood 2014), from any place.
#pragma once

#include <ipuflow/core/mixed_bits.hpp>
#include <ipuflow/core/wrapping.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::nn {

/// 64 random bits: number `index` of stream `seed`.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  return mixed_bits(wrapping_sum(seed, wrapping_product(index, 0x9e3779b97f4a7c15u)));
}

/// Uniform in [0, 1), in steps that a float can hold.
constexpr float random_unit(std::uint64_t seed, std::uint64_t index) {
  return static_cast<float>(random_bits(seed, index) >> 40) * 0x1p-24f;
}

namespace impl {

/// The square root, to the last bit of a float.
constexpr double square_root(double value) {
  double root = value > 1 ? value : 1;
  for (int i = 0; i < 200; ++i) {
    const double better = (root + value / root) / 2;
    if (!(better < root)) break;
    root = better;
  }
  return root;
}

/// PyTorch's default for convolutions and linear layers: weights and biases uniform in +-1/sqrt(fan_in).
template <class T>
constexpr void initialise_uniform(T* values, std::size_t count, std::size_t fan_in, std::uint64_t seed) {
  const double bound = 1 / square_root(static_cast<double>(fan_in));
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<T>(static_cast<float>(bound * (2 * static_cast<double>(random_unit(seed, i)) - 1)));
  }
}

}  // namespace impl

}  // namespace ipuflow::nn
