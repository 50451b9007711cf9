// SPDX-License-Identifier: BSL-1.0
// Halves to floats and back, many at a time: the same bits as `half`'s own conversions, without branches, so that a
// compiler makes vectors of them.
#pragma once

#include <ipuflow/core/half.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ipuflow::ipu {

namespace impl {

/// Exact. Multiplying by 2^112 moves the exponent and makes subnormals normal.
template <class = void>
inline void widen(std::span<const half> from, float* to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::uint32_t bits = from[i].bits;
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    const float moved = std::bit_cast<float>((bits & 0x7fffu) << 13) * 0x1p112f;
    const std::uint32_t special = (bits & 0x7c00u) == 0x7c00u ? 0x7f800000u : 0u;
    to[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(moved) | special | sign);
  }
}
template <class = void>
inline void widen(std::span<const float> from, float* to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i];
}

/// Rounds to nearest, ties to even. What becomes subnormal is rounded by adding 0.5, whose last place is the smallest
/// half.
template <class = void>
inline void narrow(const float* from, std::span<half> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(from[i]);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const std::uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
    const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
    std::uint32_t rounded = magnitude < 0x38800000u ? small : normal;
    rounded = magnitude >= 0x477ff000u ? 0x7c00u : rounded;
    rounded = magnitude > 0x7f800000u ? 0x7e00u : rounded;
    to[i].bits = static_cast<std::uint16_t>(rounded | ((bits >> 16) & 0x8000u));
  }
}
template <class = void>
inline void narrow(const float* from, std::span<float> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i];
}

}  // namespace impl

}  // namespace ipuflow::ipu
