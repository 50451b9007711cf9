// SPDX-License-Identifier: BSL-1.0
// exp, tanh, erf and their like for lanes. For float they are polynomials over all lanes at once (coefficients of
// Moshier's Cephes library, and of Abramowitz and Stegun 7.1.26), good to a few units in the last place; for other
// types the standard library, one lane after another.
#pragma once

#include <ipuflow/core/math.hpp>
#include <ipuflow/nn/simd/lanes.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ipuflow::nn {

/// A literal as a `T`.
template <class T>
constexpr T number(double value) {
  return static_cast<T>(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(value));
}

/// The same number in all lanes, or a float: formulas are written once for both.
template <class V>
[[gnu::always_inline]] constexpr V constant(double value) {
  if constexpr (std::is_arithmetic_v<V>) {
    return number<V>(value);
  } else {
    return V::all(number<typename V::value_type>(value));
  }
}

constexpr float greater(float a, float b) { return a > b ? a : b; }
constexpr float where_greater(float a, float b, float x, float y) { return a > b ? x : y; }

namespace impl {

template <class T, class Function>
[[gnu::always_inline]] inline lanes<T> each_lane(const lanes<T>& x, Function function) {
  lanes<T> y{};
  for (std::size_t l = 0; l < lane_count; ++l) y.set(l, number<T>(static_cast<double>(function(x[l]))));
  return y;
}

template <class T>
[[gnu::always_inline]] inline lanes<T> polynomial(const lanes<T>&, const lanes<T>& sum) {
  return sum;
}
/// Horner: each coefficient is added to what came before, times x.
template <class T, class... Rest>
[[gnu::always_inline]] inline lanes<T> polynomial(const lanes<T>& x, const lanes<T>& sum, double next, Rest... rest) {
  return polynomial(x, sum * x + lanes<T>::all(number<T>(next)), rest...);
}

template <class T>
[[gnu::always_inline]] inline lanes<T> magnitude(const lanes<T>& x) {
  return where_greater(x, lanes<T>{}, x, lanes<T>{} - x);
}

}  // namespace impl

}  // namespace ipuflow::nn

namespace ipuflow::nn::math {

// Of one number.
using ipuflow::math::erf;
using ipuflow::math::exp;
using ipuflow::math::log;
using ipuflow::math::sqrt;
using ipuflow::math::tanh;

template <class T>
[[gnu::always_inline]] inline lanes<T> exp(const lanes<T>& value) {
  if constexpr (std::is_same_v<T, float>) {
    using all = lanes<float>;
    constexpr float shift = 0x1.8p23f;  // adding it rounds to a whole number, which then stands in the lowest bits
    const all not_below = where_greater(all::all(-87), value, all::all(-87), value);  // asked so that a NaN stays one
    const all x = where_greater(not_below, all::all(88), all::all(88), not_below);
    const all shifted = 1.44269504089f * x + all::all(shift);
    const all whole = shifted - all::all(shift);
    const all r = x - 0.693359375f * whole - -2.12194440e-4f * whole;
    const all p = impl::polynomial(r, all::all(1.9875691500e-4f), 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
                             1.6666665459e-1, 5.0000001201e-1, 1, 1);
    typedef std::uint32_t bits __attribute__((vector_size(sizeof(all))));
    return {std::bit_cast<typename all::vector>(std::bit_cast<bits>(p.v) + (std::bit_cast<bits>(shifted.v) << 23))};
  } else {
    return impl::each_lane(value, [](double x) { return __builtin_exp(x); });
  }
}

template <class T>
[[gnu::always_inline]] inline lanes<T> log(const lanes<T>& value) {
  return impl::each_lane(value, [](auto x) { return log(x); });
}

template <class T>
[[gnu::always_inline]] inline lanes<T> sqrt(const lanes<T>& value) {
  return impl::each_lane(value, [](auto x) { return sqrt(x); });
}

template <class V>
[[gnu::always_inline]] inline V sigmoid(const V& x) {
  return constant<V>(1) / (constant<V>(1) + exp(V{} - x));
}

template <class T>
[[gnu::always_inline]] inline lanes<T> tanh(const lanes<T>& x) {
  if constexpr (std::is_same_v<T, float>) {
    using all = lanes<float>;
    const all z = x * x;
    const all near = impl::polynomial(z, all::all(-5.70498872745e-3f), 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1,
                                -3.33332819422e-1) *
                         z * x +
                     x;
    const all far = all::all(1) - all::all(2) / (exp(2.0f * x) + all::all(1));
    return where_greater(impl::magnitude(x), all::all(0.625f), far, near);
  } else {
    return impl::each_lane(x, [](double value) { return __builtin_tanh(value); });
  }
}

/// With exp(-x * x), for those who need that too.
template <class T>
[[gnu::always_inline]] inline lanes<T> erf(const lanes<T>& x, [[maybe_unused]] const lanes<T>& falling) {
  if constexpr (std::is_same_v<T, float>) {
    using all = lanes<float>;
    const all size = impl::magnitude(x);
    const all t = all::all(1) / (all::all(1) + 0.3275911f * size);
    const all p = impl::polynomial(t, all::all(1.061405429f), -1.453152027, 1.421413741, -0.284496736, 0.254829592, 0);
    const all positive = all::all(1) - p * falling;
    return where_greater(x, all{}, positive, all{} - positive);
  } else {
    return impl::each_lane(x, [](double value) { return __builtin_erf(value); });
  }
}
inline float erf(float x, float) { return erf(x); }

template <class T>
[[gnu::always_inline]] inline lanes<T> erf(const lanes<T>& x) {
  if constexpr (std::is_same_v<T, float>) {
    return erf(x, exp(lanes<T>{} - x * x));
  } else {
    return erf(x, x);
  }
}

}  // namespace ipuflow::nn::math
