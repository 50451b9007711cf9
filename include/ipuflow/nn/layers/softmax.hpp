// SPDX-License-Identifier: BSL-1.0
// Exponentials over a vector, or over each position of a sequence, scaled to a sum of one. A loss that needs it does it itself: `cross_entropy` takes what
// comes before a softmax.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/simd/half_lanes.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <cstddef>

namespace ipuflow::nn {

struct softmax_t {};
inline constexpr softmax_t softmax{};

template <real_element E, std::size_t Classes>
[[nodiscard]] constexpr tensor<E, Classes> output_of(softmax_t, tensor<E, Classes>) {
  return {};
}

template <real_element E, std::size_t Positions, std::size_t Classes>
[[nodiscard]] constexpr tensor<E, Positions, Classes> output_of(softmax_t, tensor<E, Positions, Classes>) {
  return {};
}

template <real_element E, std::size_t Classes>
[[nodiscard]] constexpr layer_facts facts(softmax_t, tensor<E, Classes>) {
  return {
      .forward_work = 2 * Classes, .input_work = 2 * Classes, .inputs_need_input = false, .inputs_need_output = true};
}

template <real_element E, std::size_t Positions, std::size_t Classes>
[[nodiscard]] constexpr layer_facts facts(softmax_t layer, tensor<E, Positions, Classes>) {
  return impl::of_positions(facts(layer, tensor<E, Classes>{}), Positions);
}

namespace impl {

/// The largest value, and the sum over all classes of exp(value - largest). `V`: lanes of samples, or a float.
template <class V>
struct softmax_terms {
  V largest;
  V sum{};

  template <class Values>
  softmax_terms(const Values& values, std::size_t classes) : largest{values[0]} {
    for (std::size_t i = 1; i < classes; ++i) largest = greater(V{values[i]}, largest);
    for (std::size_t i = 0; i < classes; ++i) sum += exponential(V{values[i]});
  }

  [[gnu::always_inline]] V exponential(const V& value) const { return math::exp(value - largest); }
  /// -log of the share of a class, the cross-entropy of a sample of that class.
  V surprise(const V& value) const { return math::log(sum) + (largest - value); }
};

/// Values that are computed with in float, if they are halves.
template <class T>
struct wide_values {
  const lanes<T>* each;

  [[gnu::always_inline]] const lanes<wide_number<T>>& operator[](std::size_t i) const { return widened(each[i]); }
};

/// y = softmax(x), of some classes.
template <class T>
void softmax_of(const lanes<T>* x, std::size_t classes, lanes<T>* y) {
  using all = lanes<wide_number<T>>;
  const wide_values<T> values{x};
  const softmax_terms<all> terms{values, classes};
  const all scale = constant<all>(1) / terms.sum;
  for (std::size_t i = 0; i < classes; ++i) y[i] = narrowed<T>(scale * terms.exponential(values[i]));
}

template <class T>
void softmax_gradient(const lanes<T>* y, const lanes<T>* d_y, std::size_t classes, lanes<T>* d_x) {
  lanes<wide_number<T>> mean{};
  for (std::size_t i = 0; i < classes; ++i) mean += widened(y[i]) * widened(d_y[i]);
  for (std::size_t i = 0; i < classes; ++i) d_x[i] = narrowed<T>(widened(y[i]) * (widened(d_y[i]) - mean));
}

}  // namespace impl

template <class T, class Shape>
void forward(softmax_t, forward_pass<T, in<Shape>, out<Shape>> pass) {
  const auto x = rows_of(get<0>(pass.in));
  const auto y = rows_of(get<0>(pass.out));
  for (std::size_t g = 0; g < x.groups; ++g) impl::softmax_of(x.group(g), x.elements, y.group(g));
}

template <class T, class Shape>
void backward_inputs(softmax_t, inputs_pass<T, in<Shape>, out<Shape>> pass) {
  const auto y = rows_of(get<0>(pass.out));
  const auto d_y = rows_of(get<0>(pass.d_out));
  const auto d_x = rows_of(get<0>(pass.d_in));
  for (std::size_t g = 0; g < y.groups; ++g) impl::softmax_gradient(y.group(g), d_y.group(g), y.elements, d_x.group(g));
}

}  // namespace ipuflow::nn
