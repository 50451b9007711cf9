// SPDX-License-Identifier: BSL-1.0
// Functions of each element alone: the shape stays as it is. A new one is a type, its value, and two functions of one
// vector: `value(layer, x)` and `slope(layer, x)`, or of y where `needs_input` is false.
#pragma once

#include <ipuflow/core/shape.hpp>
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace ipuflow::nn {

/// `needs_input`: the slope is computed from the input; otherwise from the output.
template <bool NeedsInput>
struct activation {
  static constexpr bool needs_input = NeedsInput;
};

struct relu_t : activation<false> {};
struct sigmoid_t : activation<false> {};
struct tanh_t : activation<false> {};
struct gelu_t : activation<true> {};

inline constexpr relu_t relu{};
inline constexpr sigmoid_t sigmoid{};
inline constexpr tanh_t tanh{};
/// x times the probability that a normal variable is below x; exact, not the approximation by tanh.
inline constexpr gelu_t gelu{};

template <bool NeedsInput, element E, std::size_t... Extent>
constexpr tensor<E, Extent...> output_of(activation<NeedsInput>, tensor<E, Extent...>) {
  return {};
}

template <bool NeedsInput, element E, std::size_t... Extent>
constexpr layer_facts facts(activation<NeedsInput>, tensor<E, Extent...>) {
  constexpr std::size_t elements = shape<Extent...>::elements;
  return {.forward_work = elements,
          .input_work = elements,
          .inputs_need_input = NeedsInput,
          .inputs_need_output = !NeedsInput};
}

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
void forward(Layer layer, forward_pass<T, in<Shape>, out<Shape>> pass) {
  const auto [x] = pass.in;
  const auto [y] = pass.out;
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = value(layer, x[i]);
}

template <activation_layer Layer, class T, class Shape>
void backward_inputs(Layer layer, inputs_pass<T, in<Shape>, out<Shape>> pass) {
  const auto [seen] = Layer::needs_input ? pass.in : pass.out;
  const auto [d_y] = pass.d_out;
  const auto [d_x] = pass.d_in;
  for (std::size_t i = 0; i < d_y.size(); ++i) {
    if constexpr (std::is_same_v<Layer, relu_t>) {
      d_x[i] = where_greater(seen[i], lanes<T>{}, d_y[i], lanes<T>{});  // a product would make infinity a NaN
    } else {
      d_x[i] = d_y[i] * slope(layer, seen[i]);
    }
  }
}

}  // namespace ipuflow::nn
