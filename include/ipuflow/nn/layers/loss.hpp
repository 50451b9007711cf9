// SPDX-License-Identifier: BSL-1.0
// Losses, which training minimises. A loss takes predictions and the values wanted, and gives both the predictions, so
// that they reach the host, and one number a sample: `use<"label">(nn::cross_entropy)`. The predictions are the memory
// that the loss was given; no gradient flows into them but that of the loss.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/layers/softmax.hpp>
#include <ipuflow/nn/nn_fault.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <concepts>
#include <cstddef>
#include <tuple>

namespace ipuflow::nn {

/// -log softmax(predictions)[label], PyTorch's CrossEntropyLoss.
struct cross_entropy_t {};
inline constexpr cross_entropy_t cross_entropy{};

/// The mean over the elements of (prediction - target) squared.
struct mean_squared_error_t {};
inline constexpr mean_squared_error_t mean_squared_error{};

/// The label is the index of the right class.
template <real_element E, std::size_t Classes, std::integral Label>
[[nodiscard]] constexpr std::tuple<tensor<E, Classes>, tensor<float>> output_of(cross_entropy_t, tensor<E, Classes>, Label) {
  return {};
}

template <real_element E, std::size_t... Extent>
[[nodiscard]] constexpr std::tuple<tensor<E, Extent...>, tensor<float>> output_of(mean_squared_error_t, tensor<E, Extent...>,
                                                                                  tensor<E, Extent...>) {
  return {};
}

template <real_element E, std::size_t Classes, std::integral Label>
[[nodiscard]] constexpr layer_facts facts(cross_entropy_t, tensor<E, Classes>, Label) {
  return {.forward_work = 2 * Classes, .input_work = 3 * Classes, .same_memory = true};
}

template <real_element E, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(mean_squared_error_t, tensor<E, Extent...>, tensor<E, Extent...>) {
  constexpr std::size_t elements = shape<Extent...>::elements;
  return {.forward_work = elements, .input_work = elements, .same_memory = true};
}

namespace impl {

/// The class of a sample.
template <std::integral Label>
std::size_t checked_label(Label label, std::size_t sample, std::size_t classes) {
  const auto index = static_cast<std::size_t>(label);
  if (index >= classes) throw_if(nn_fault{nn_wrong::label_too_large, index, classes, {.op = sample}});
  return index;
}

}  // namespace impl

template <class T, std::size_t Classes, class Label>
void forward(cross_entropy_t, forward_pass<T, in<shape<Classes>, Label>, out<shape<Classes>, shape<>>> pass) {
  const auto [x, labels] = pass.in;
  const auto loss = std::get<1>(pass.out);
  for (std::size_t g = 0; g < x.groups; ++g) {
    const lanes<T>* in = x.group(g);
    const impl::softmax_terms<lanes<T>> terms{in, Classes};
    lanes<T> right{};
    for (std::size_t l = 0; l < x.samples_in(g); ++l) {
      right.set(l, in[impl::checked_label(labels[g][l], g * lane_count + l, Classes)][l]);
    }
    loss[g] = terms.surprise(right);
    for (std::size_t l = x.samples_in(g); l < lane_count; ++l) loss[g].set(l, T{});
  }
}

template <class T, std::size_t Classes, class Label>
void backward_inputs(cross_entropy_t, inputs_pass<T, in<shape<Classes>, Label>, out<shape<Classes>, shape<>>> pass) {
  const auto [x, labels] = pass.in;
  const auto d_loss = std::get<1>(pass.d_out);
  const auto [d_x] = pass.d_in;
  for (std::size_t g = 0; g < x.groups; ++g) {
    const lanes<T>* in = x.group(g);
    lanes<T>* out = d_x.group(g);
    const impl::softmax_terms<lanes<T>> terms{in, Classes};
    const lanes<T> scale = d_loss[g] / terms.sum;
    for (std::size_t i = 0; i < Classes; ++i) out[i] = scale * terms.exponential(in[i]);
    for (std::size_t l = 0; l < x.samples_in(g); ++l) {
      lanes<T>& right = out[impl::checked_label(labels[g][l], g * lane_count + l, Classes)];
      right.set(l, static_cast<T>(right[l] - d_loss[g][l]));
    }
  }
}

template <class T, class Shape>
void forward(mean_squared_error_t, forward_pass<T, in<Shape, Shape>, out<Shape, shape<>>> pass) {
  const auto [x, target] = pass.in;
  const auto loss = std::get<1>(pass.out);
  for (std::size_t g = 0; g < x.groups; ++g) {
    lanes<T> total{};
    for (std::size_t i = 0; i < Shape::elements; ++i) {
      const lanes<T> difference = x.group(g)[i] - target.group(g)[i];
      total += difference * difference;
    }
    loss[g] = number<T>(1.0 / Shape::elements) * total;
  }
}

/// Either gradient may be unwanted.
template <class T, class Shape>
void backward_inputs(mean_squared_error_t, inputs_pass<T, in<Shape, Shape>, out<Shape, shape<>>> pass) {
  const auto [x, target] = pass.in;
  const auto d_loss = std::get<1>(pass.d_out);
  const auto [d_x, d_target] = pass.d_in;
  for (std::size_t g = 0; g < x.groups; ++g) {
    const lanes<T> scale = number<T>(2.0 / Shape::elements) * d_loss[g];
    for (std::size_t i = 0; i < Shape::elements; ++i) {
      const lanes<T> slope = scale * (x.group(g)[i] - target.group(g)[i]);
      if (d_x.wanted()) d_x.group(g)[i] = slope;
      if (d_target.wanted()) d_target.group(g)[i] = lanes<T>{} - slope;
    }
  }
}

}  // namespace ipuflow::nn
