// SPDX-License-Identifier: BSL-1.0
// Between float and half, for lanes: rounding to the numbers that a half can hold, to nearest even or at random with
// the right mean, and packing them into 16 bits. Whole numbers only, so it is as fast as the target's vectors and the
// same everywhere; arrays are packed by the target's own instruction where it has one (F16C).
#pragma once

#include <ipuflow/core/half.hpp>
#include <ipuflow/nn/simd/lanes.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ipuflow::nn {

namespace impl {

/// The bits of floats as whole numbers, signed: comparisons of those are cheaper, and no magnitude needs the sign.
typedef std::int32_t word_lanes __attribute__((vector_size(4 * lane_count)));

/// The last part that `rounded` and `stochastically_rounded` share: `normal` is the rounded magnitude of numbers that are normal as
/// halves, `small` that of the others.
[[gnu::always_inline]] inline lanes<float> rounded_magnitude(const lanes<float>& value, const word_lanes& normal,
                                                             const lanes<float>& small) {
  const auto bits = std::bit_cast<word_lanes>(value.v);
  const word_lanes magnitude = bits & 0x7fffffff;
  const word_lanes infinite = normal >= 0x47800000 ? word_lanes{} + 0x7f800000 : normal;
  const word_lanes finite = magnitude < 0x38800000 ? std::bit_cast<word_lanes>(small.v) : infinite;
  const word_lanes kept = magnitude > 0x7f800000 ? magnitude : finite;  // not a number
  return {std::bit_cast<lanes<float>::vector>(kept | (bits & static_cast<std::int32_t>(0x80000000u)))};
}

[[gnu::always_inline]] inline lanes<float> magnitude_of(const lanes<float>& value) {
  return {std::bit_cast<lanes<float>::vector>(std::bit_cast<word_lanes>(value.v) & 0x7fffffff)};
}

}  // namespace impl

/// The nearest half of each, as floats; ties go to even.
[[gnu::always_inline]] inline lanes<float> rounded(const lanes<float>& value) {
  const lanes<float> size = impl::magnitude_of(value);
  const auto bits = std::bit_cast<impl::word_lanes>(size.v);
  const impl::word_lanes normal = (bits + 0xfff + ((bits >> 13) & 1)) & ~0x1fff;
  const lanes<float> half_ = lanes<float>::all(0.5f);  // a float of this size has the last bit of a subnormal half
  return impl::rounded_magnitude(value, normal, (size + half_) - half_);
}

/// One of the two nearest halves, each as probable as it is near: the mean is the value. `random`: 32 bits a lane.
[[gnu::always_inline]] inline lanes<float> stochastically_rounded(const lanes<float>& value,
                                                                  const lanes<std::uint32_t>& random) {
  const lanes<float> size = impl::magnitude_of(value);
  const auto bits = std::bit_cast<impl::word_lanes>(size.v);
  const impl::word_lanes dice = std::bit_cast<impl::word_lanes>(random.v) & 0x1fff;
  const lanes<float> steps = 0x1p24f * where_greater(lanes<float>::all(0x1p-13f), size, size, lanes<float>{}) +
                             0x1p-13f * lanes<float>{__builtin_convertvector(dice, lanes<float>::vector)};
  const auto whole = __builtin_convertvector(steps.v, impl::word_lanes);
  const lanes<float> small = 0x1p-24f * lanes<float>{__builtin_convertvector(whole, lanes<float>::vector)};
  return impl::rounded_magnitude(value, (bits + dice) & ~0x1fff, small);
}

/// Other types go through float: rounding a double twice differs only where the first rounding meets a tie.
template <class T>
[[gnu::always_inline]] inline lanes<T> rounded(const lanes<T>& value) {
  lanes<T> nearest{};
  for (std::size_t l = 0; l < lane_count; ++l) nearest.set(l, static_cast<T>(half{static_cast<float>(value[l])}));
  return nearest;
}

namespace impl {

typedef std::uint16_t half_lanes __attribute__((vector_size(2 * lane_count)));

/// The nearest halves, in 16 bits each.
[[gnu::always_inline]] inline void store_halves(half* to, const lanes<float>& value) {
  const auto bits = half_bits<lanes<float>::vector>(std::bit_cast<word_lanes>(value.v));
  const auto packed = __builtin_convertvector(bits, half_lanes);
  __builtin_memcpy(static_cast<void*>(to), &packed, sizeof packed);
}

[[gnu::always_inline]] inline lanes<float> load_halves(const half* from) {
  half_lanes packed;
  __builtin_memcpy(&packed, from, sizeof packed);
  const auto bits = float_bits<lanes<float>::vector>(__builtin_convertvector(packed, word_lanes));
  return {std::bit_cast<lanes<float>::vector>(bits)};
}

/// Many numbers, to nearest even.
inline void to_halves(const float* from, half* to, std::size_t count) {
#if defined(__F16C__)
  typedef float floats __attribute__((vector_size(32)));
  constexpr std::size_t step = 8;
#else
  constexpr std::size_t step = lane_count;
#endif
  const std::size_t whole = count - count % step;
  for (std::size_t i = 0; i < whole; i += step) {
#if defined(__F16C__)
    floats value;
    __builtin_memcpy(&value, from + i, sizeof value);
    const auto packed = __builtin_ia32_vcvtps2ph256(value, 0);  // the instruction, without the vendor's large header
    __builtin_memcpy(static_cast<void*>(to + i), &packed, sizeof packed);
#else
    lanes<float> value;
    __builtin_memcpy(&value, from + i, sizeof value);
    store_halves(to + i, value);
#endif
  }
  for (std::size_t i = whole; i < count; ++i) to[i] = half{from[i]};
}

inline void to_floats(const half* from, float* to, std::size_t count) {
  const std::size_t whole = count - count % lane_count;
  for (std::size_t i = 0; i < whole; i += lane_count) {
    const lanes<float> value = load_halves(from + i);
    __builtin_memcpy(to + i, &value, sizeof value);
  }
  for (std::size_t i = whole; i < count; ++i) to[i] = from[i];
}

}  // namespace impl

}  // namespace ipuflow::nn
