// SPDX-License-Identifier: BSL-1.0
// The 16-bit float of IEEE 754: a storage type, converted to and from float, rounding to nearest even.
#pragma once

#include <bit>
#include <cstdint>

namespace ipuflow {

namespace detail {

constexpr std::uint16_t half_bits(float value) {
  const auto all = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((all >> 16) & 0x8000u);
  const std::uint32_t magnitude = all & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);   // not a number
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // rounds to infinity
  if (magnitude < 0x33000001u) return sign;                                         // rounds to zero
  const bool normal = magnitude >= 0x38800000u;
  const std::uint32_t exponent = magnitude >> 23;
  const std::uint32_t kept = normal ? magnitude - 0x38000000u : (magnitude & 0x7fffffu) | 0x800000u;
  const std::uint32_t shift = normal ? 13 : 126 - exponent;
  const std::uint32_t down = kept >> shift;
  const std::uint32_t rest = kept & ((1u << shift) - 1);
  const std::uint32_t tie = 1u << (shift - 1);
  return static_cast<std::uint16_t>(sign | (down + (rest > tie || (rest == tie && (down & 1u) != 0) ? 1u : 0u)));
}

constexpr float half_value(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  const std::uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0) {  // zero or subnormal: fraction times 2 to the -24
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  const std::uint32_t widened = exponent == 31 ? 255u : exponent + 112u;
  return std::bit_cast<float>(sign | (widened << 23) | (fraction << 13));
}

}  // namespace detail

struct half {
  std::uint16_t bits = 0;

  constexpr half() = default;
  constexpr explicit half(float value) : bits{detail::half_bits(value)} {}
  constexpr operator float() const { return detail::half_value(bits); }
};

}  // namespace ipuflow
