// SPDX-License-Identifier: BSL-1.0
// One number of `lane_count` samples: what kernels compute with. The batch is the innermost axis of all data, so every
// layer vectorises over samples whatever its own shape. The width is that of the target's vectors for float, and the
// same number of lanes serves every type, so that a value has as many groups in half as in double. The functions are
// forced inline: a vector handed from function to function has no ABI that all targets share.
#pragma once

#include <cstddef>
#include <utility>

namespace ipuflow::nn {

namespace impl {

#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t vector_bytes = 32;
#else
inline constexpr std::size_t vector_bytes = 16;
#endif

/// The number of sums that a kernel can hold in registers beside what it multiplies; without fused multiply-add a product needs
/// one.
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr std::size_t accumulator_count = 24;
#elif defined(__FMA__)
inline constexpr std::size_t accumulator_count = 12;
#else
inline constexpr std::size_t accumulator_count = 8;
#endif

}  // namespace impl

/// The samples in a group.
inline constexpr std::size_t lane_count = impl::vector_bytes / sizeof(float);

/// The number of groups that hold the samples; the lanes behind the last sample are padding.
constexpr std::size_t groups_for(std::size_t samples) { return (samples + lane_count - 1) / lane_count; }

/// One `T` of each sample of a group.
template <class T>
struct lanes {
  using value_type = T;
  typedef T vector
      __attribute__((vector_size(sizeof(T) * lane_count)));  // an alias takes no dependent attribute in g++

  vector v;

  [[gnu::always_inline]] static lanes all(T value) { return {value - vector{}}; }  // 0 + -0 would be 0

  T operator[](std::size_t lane) const { return v[lane]; }
  void set(std::size_t lane, T value) { v[lane] = value; }

  [[gnu::always_inline]] friend lanes operator+(const lanes& a, const lanes& b) { return {a.v + b.v}; }
  [[gnu::always_inline]] friend lanes operator-(const lanes& a, const lanes& b) { return {a.v - b.v}; }
  [[gnu::always_inline]] friend lanes operator*(const lanes& a, const lanes& b) { return {a.v * b.v}; }
  [[gnu::always_inline]] friend lanes operator/(const lanes& a, const lanes& b) { return {a.v / b.v}; }
  // A number is lanes that are all this number.
  [[gnu::always_inline]] friend lanes operator+(const lanes& a, T b) { return {a.v + b}; }
  [[gnu::always_inline]] friend lanes operator+(T a, const lanes& b) { return {a + b.v}; }
  [[gnu::always_inline]] friend lanes operator-(const lanes& a, T b) { return {a.v - b}; }
  [[gnu::always_inline]] friend lanes operator-(T a, const lanes& b) { return {a - b.v}; }
  [[gnu::always_inline]] friend lanes operator*(const lanes& a, T b) { return {a.v * b}; }
  [[gnu::always_inline]] friend lanes operator*(T a, const lanes& b) { return {a * b.v}; }
  [[gnu::always_inline]] friend lanes operator/(const lanes& a, T b) { return {a.v / b}; }
  [[gnu::always_inline]] friend lanes operator/(T a, const lanes& b) { return {a / b.v}; }
  [[gnu::always_inline]] lanes& operator+=(const lanes& other) {
    v += other.v;
    return *this;
  }
  [[gnu::always_inline]] lanes& operator-=(const lanes& other) {
    v -= other.v;
    return *this;
  }

  /// Lane by lane: `x` where `a > b` or `a == b`, else `y`.
  [[gnu::always_inline]] friend lanes where_greater(const lanes& a, const lanes& b, const lanes& x, const lanes& y) {
    return {a.v > b.v ? x.v : y.v};
  }
  [[gnu::always_inline]] friend lanes where_equal(const lanes& a, const lanes& b, const lanes& x, const lanes& y) {
    return {a.v == b.v ? x.v : y.v};
  }
  [[gnu::always_inline]] friend lanes greater(const lanes& a, const lanes& b) { return {a.v > b.v ? a.v : b.v}; }

  /// The sum over all lanes, in an order that depends on `lane_count` alone.
  [[gnu::always_inline]] friend T sum(const lanes& a) { return a.folded(std::make_index_sequence<lane_count>{}); }

 private:
  template <std::size_t... I>
  [[gnu::always_inline]] T folded(std::index_sequence<I...>) const {
    vector all = v;
    if constexpr (lane_count >= 16) all += __builtin_shufflevector(all, all, static_cast<int>((I + 8) % lane_count)...);
    if constexpr (lane_count >= 8) all += __builtin_shufflevector(all, all, static_cast<int>((I + 4) % lane_count)...);
    all += __builtin_shufflevector(all, all, static_cast<int>((I + 2) % lane_count)...);
    all += __builtin_shufflevector(all, all, static_cast<int>((I + 1) % lane_count)...);
    return all[0];
  }
};

/// Adds to a number of any type, half too.
template <class T>
[[gnu::always_inline]] constexpr void add_to(T& number, T more) {
  number = static_cast<T>(number + more);
}

namespace impl {

/// Adds a vector to `lane_count` numbers anywhere in memory.
template <class T>
[[gnu::always_inline]] inline void add_lanes_to(T* values, const lanes<T>& more) {
  lanes<T> sum;
  __builtin_memcpy(&sum, values, sizeof sum);
  sum += more;
  __builtin_memcpy(values, &sum, sizeof sum);
}

}  // namespace impl

}  // namespace ipuflow::nn
