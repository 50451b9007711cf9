// SPDX-License-Identifier: BSL-1.0
// Lanes of halves to compute with: every operation is done in float and rounded, which gives what hardware with half
// arithmetic and half partial sums gives. Slow, and meant for that comparison; data that is only stored in half is
// computed with in float.
#pragma once

#include <ipuflow/nn/simd/rounding.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow::nn {

template <>
struct lanes<half> {
  using value_type = half;

  lanes<float> wide;  // always numbers that a half can hold

  static lanes all(half value) { return {lanes<float>::all(value)}; }

  half operator[](std::size_t lane) const { return half{wide[lane]}; }
  void set(std::size_t lane, half value) { wide.set(lane, value); }

  friend lanes operator+(const lanes& a, const lanes& b) { return {rounded(a.wide + b.wide)}; }
  friend lanes operator-(const lanes& a, const lanes& b) { return {rounded(a.wide - b.wide)}; }
  friend lanes operator*(const lanes& a, const lanes& b) { return {rounded(a.wide * b.wide)}; }
  friend lanes operator/(const lanes& a, const lanes& b) { return {rounded(a.wide / b.wide)}; }
  friend lanes operator+(const lanes& a, half b) { return {rounded(a.wide + static_cast<float>(b))}; }
  friend lanes operator+(half a, const lanes& b) { return {rounded(static_cast<float>(a) + b.wide)}; }
  friend lanes operator-(const lanes& a, half b) { return {rounded(a.wide - static_cast<float>(b))}; }
  friend lanes operator-(half a, const lanes& b) { return {rounded(static_cast<float>(a) - b.wide)}; }
  friend lanes operator*(const lanes& a, half b) { return {rounded(a.wide * static_cast<float>(b))}; }
  friend lanes operator*(half a, const lanes& b) { return {rounded(static_cast<float>(a) * b.wide)}; }
  friend lanes operator/(const lanes& a, half b) { return {rounded(a.wide / static_cast<float>(b))}; }
  friend lanes operator/(half a, const lanes& b) { return {rounded(static_cast<float>(a) / b.wide)}; }
  lanes& operator+=(const lanes& other) { return *this = *this + other; }
  lanes& operator-=(const lanes& other) { return *this = *this - other; }

  friend lanes where_greater(const lanes& a, const lanes& b, const lanes& x, const lanes& y) {
    return {where_greater(a.wide, b.wide, x.wide, y.wide)};
  }
  friend lanes where_equal(const lanes& a, const lanes& b, const lanes& x, const lanes& y) {
    return {where_equal(a.wide, b.wide, x.wide, y.wide)};
  }
  friend lanes greater(const lanes& a, const lanes& b) { return {greater(a.wide, b.wide)}; }

  friend half sum(const lanes& a) {
    half total{};
    for (std::size_t l = 0; l < lane_count; ++l) total = half{static_cast<float>(total) + a.wide[l]};
    return total;
  }
};

namespace impl {

/// The type of products and sums of `T`: those of halves are floats.
template <class T>
using wide_number = std::conditional_t<std::is_same_v<std::remove_const_t<T>, half>, float, std::remove_const_t<T>>;

template <class T>
[[gnu::always_inline]] inline const lanes<wide_number<T>>& widened(const lanes<T>& x) {
  if constexpr (std::is_same_v<T, half>) {
    return x.wide;
  } else {
    return x;
  }
}

template <class T>
[[gnu::always_inline]] inline lanes<T> narrowed(const lanes<wide_number<T>>& x) {
  if constexpr (std::is_same_v<T, half>) {
    return {rounded(x)};
  } else {
    return x;
  }
}

}  // namespace impl

}  // namespace ipuflow::nn
