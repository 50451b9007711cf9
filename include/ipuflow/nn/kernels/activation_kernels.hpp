// SPDX-License-Identifier: BSL-1.0
// What activations compute. A new one gives `value(layer, x)` and `slope(layer, x or y)` for one vector.
#pragma once

#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace ipuflow::nn {

template <class T>
[[gnu::always_inline]] inline lanes<T> value(relu_t, const lanes<T>& x) {
  return where_greater(x, lanes<T>{}, x, lanes<T>{});
}
template <class T>
[[gnu::always_inline]] inline lanes<T> slope(relu_t, const lanes<T>& y) {
  return where_greater(y, lanes<T>{}, lanes<T>::all(number<T>(1)), lanes<T>{});
}

template <class T>
[[gnu::always_inline]] inline lanes<T> value(sigmoid_t, const lanes<T>& x) {
  return math::sigmoid(x);
}
template <class T>
[[gnu::always_inline]] inline lanes<T> slope(sigmoid_t, const lanes<T>& y) {
  return y * (lanes<T>::all(number<T>(1)) - y);
}

template <class T>
[[gnu::always_inline]] inline lanes<T> value(tanh_t, const lanes<T>& x) {
  return math::tanh(x);
}
template <class T>
[[gnu::always_inline]] inline lanes<T> slope(tanh_t, const lanes<T>& y) {
  return lanes<T>::all(number<T>(1)) - y * y;
}

/// The probability that a normal variable is below x.
template <class T>
[[gnu::always_inline]] inline lanes<T> normal_below(const lanes<T>& x) {
  return number<T>(0.5) * (lanes<T>::all(number<T>(1)) + math::erf(number<T>(0.70710678118654752440) * x));
}
template <class T>
[[gnu::always_inline]] inline lanes<T> value(gelu_t, const lanes<T>& x) {
  return x * normal_below(x);
}
template <class T>
[[gnu::always_inline]] inline lanes<T> slope(gelu_t, const lanes<T>& x) {
  const lanes<T> density = number<T>(0.39894228040143267794) * math::exp(number<T>(-0.5) * (x * x));
  return normal_below(x) + x * density;
}

template <class Layer>
concept activation_layer = std::derived_from<Layer, activation<Layer::needs_input>>;

template <activation_layer Layer, class T, class Shape>
void forward(Layer layer, const context&, parameters<T>, batch<const T, Shape> x, batch<T, Shape> y) {
  for (std::size_t i = 0; i < x.groups * Shape::elements; ++i) y.data[i] = value(layer, x.data[i]);
}

template <activation_layer Layer, class T, class Shape>
void backward_inputs(Layer layer, const context&, parameters<T>, batch<const T, Shape> x, batch<const T, Shape> y,
                     batch<const T, Shape> d_y, batch<T, Shape> d_x) {
  const lanes<T>* seen = Layer::needs_input ? x.data : y.data;
  for (std::size_t i = 0; i < d_y.groups * Shape::elements; ++i) {
    if constexpr (std::is_same_v<Layer, relu_t>) {
      d_x.data[i] = where_greater(seen[i], lanes<T>{}, d_y.data[i], lanes<T>{});  // a product would make infinity a NaN
    } else {
      d_x.data[i] = d_y.data[i] * slope(layer, seen[i]);
    }
  }
}

}  // namespace ipuflow::nn
