// SPDX-License-Identifier: BSL-1.0
// The 16-bit float of IEEE 754: a storage type, converted to and from float, rounding to nearest even. Conversions have
// no branches, so that a compiler makes vectors of a loop of them.
#pragma once

#include <bit>
#include <cstdint>

namespace ipuflow {

namespace detail {

/// Rounds to nearest, ties to even. What becomes subnormal is rounded by adding 0.5, whose last place is the smallest half.
constexpr std::uint16_t half_bits(float value) {
  const auto all = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = all & 0x7fffffffu;
  const bool is_small = magnitude < 0x38800000u;
  const float small = std::bit_cast<float>(is_small ? magnitude : 0u) + 0.5f;
  const std::uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  std::uint32_t rounded = is_small ? std::bit_cast<std::uint32_t>(small) - 0x3f000000u : normal;
  rounded = magnitude >= 0x477ff000u ? 0x7c00u : rounded;  // infinity
  rounded = magnitude > 0x7f800000u ? 0x7e00u : rounded;   // not a number
  return static_cast<std::uint16_t>(rounded | ((all >> 16) & 0x8000u));
}

/// Exact. Multiplying by 2^112 moves the exponent and makes subnormals normal.
constexpr float half_value(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const float moved = std::bit_cast<float>((bits & 0x7fffu) << 13) * 0x1p112f;
  const std::uint32_t special = (bits & 0x7c00u) == 0x7c00u ? 0x7f800000u : 0u;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(moved) | special | sign);
}

}  // namespace detail

struct half {
  std::uint16_t bits = 0;

  constexpr half() = default;
  constexpr explicit half(float value) : bits{detail::half_bits(value)} {}
  constexpr operator float() const { return detail::half_value(bits); }
};

}  // namespace ipuflow
