// SPDX-License-Identifier: BSL-1.0
// The 16-bit float of IEEE 754: a storage type, converted to and from float, rounding to nearest even. Conversions have
// no branches, so that a compiler makes vectors of a loop of them.
#pragma once

#include <ipuflow/core/language.hpp>

#include <bit>
#include <cstdint>

namespace ipuflow {

/// The bits of the nearest half, ties to even, of the bits of a float; or vectors of both, `Real` being that of floats.
/// A number that becomes subnormal is rounded by adding 0.5, whose last place is the smallest half. Comparisons of signed numbers
/// are cheaper in vectors, and no magnitude needs the sign.
template <class Real, class Bits>
constexpr Bits half_bits(const Bits& all) {
  const Bits magnitude = all & 0x7fffffff;
  const auto is_small = magnitude < 0x38800000;
  const Real small = std::bit_cast<Real>(is_small ? magnitude : Bits{}) + 0.5f;
  const Bits normal = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  const Bits finite = is_small ? std::bit_cast<Bits>(small) - 0x3f000000 : normal;
  const Bits number = magnitude >= 0x477ff000 ? Bits{} + 0x7c00 : finite;  // or infinity
  return (magnitude > 0x7f800000 ? Bits{} + 0x7e00 : number) | ((all >> 16) & 0x8000);
}

/// The bits of the float that a half is. Multiplying by 2^112 moves the exponent and makes subnormals normal.
template <class Real, class Bits>
constexpr Bits float_bits(const Bits& half) {
  const Bits moved = std::bit_cast<Bits>(std::bit_cast<Real>((half & 0x7fff) << 13) * 0x1p112f);
  const Bits number = (half & 0x7c00) == 0x7c00 ? moved | 0x7f800000 : moved;
  return number | ((half & 0x8000) << 16);
}

struct half {
  std::uint16_t bits = 0;

  constexpr half() = default;
  constexpr explicit half(float value)
      : bits{static_cast<std::uint16_t>(half_bits<float>(std::bit_cast<std::int32_t>(value)))} {}
  constexpr operator float() const { return std::bit_cast<float>(float_bits<float>(std::int32_t{bits})); }
};

}  // namespace ipuflow
