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
#include <cstdint>
#include <limits>
#include <tuple>

namespace ipuflow::nn {

/// -log softmax(predictions)[label], PyTorch's CrossEntropyLoss.
struct cross_entropy_t {};
inline constexpr cross_entropy_t cross_entropy{};

/// The label that no sample has: none is ignored.
inline constexpr std::int64_t no_label = std::numeric_limits<std::int64_t>::min();

/// The wishes of a cross-entropy beyond labels. Samples that are ignored still count in a mean.
struct cross_entropy_options {
  double smoothing = 0;             ///< the part of what is wanted that goes to all classes alike, the rest to the label's
  std::int64_t ignored = no_label;  ///< the label whose samples have loss and gradient zero
};

/// Cross-entropy with these options: `nn::cross_entropy_of<{.smoothing = 0.1, .ignored = 255}>`.
template <cross_entropy_options Options>
struct cross_entropy_of_t {};
template <cross_entropy_options Options>
  requires(Options.smoothing >= 0 && Options.smoothing < 1)
inline constexpr cross_entropy_of_t<Options> cross_entropy_of{};

/// The mean over the elements of (prediction - target) squared.
struct mean_squared_error_t {};
inline constexpr mean_squared_error_t mean_squared_error{};

namespace impl {

constexpr cross_entropy_options options_of(cross_entropy_t) { return {}; }
template <cross_entropy_options Options>
constexpr cross_entropy_options options_of(cross_entropy_of_t<Options>) {
  return Options;
}

template <class Layer>
concept classifies = requires(Layer layer) { options_of(layer); };

}  // namespace impl

/// The label is the index of the right class.
template <impl::classifies Layer, real_element E, std::size_t Classes, std::integral Label>
[[nodiscard]] constexpr std::tuple<tensor<E, Classes>, tensor<float>> output_of(Layer, tensor<E, Classes>, Label) {
  return {};
}

template <real_element E, std::size_t... Extent>
[[nodiscard]] constexpr std::tuple<tensor<E, Extent...>, tensor<float>> output_of(mean_squared_error_t, tensor<E, Extent...>,
                                                                                  tensor<E, Extent...>) {
  return {};
}

template <impl::classifies Layer, real_element E, std::size_t Classes, std::integral Label>
[[nodiscard]] constexpr layer_facts facts(Layer, tensor<E, Classes>, Label) {
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

template <classifies Layer, std::integral Label>
constexpr bool is_ignored(Layer layer, Label label) {
  return options_of(layer).ignored != no_label && static_cast<std::int64_t>(label) == options_of(layer).ignored;
}

}  // namespace impl

namespace impl {

constexpr std::size_t first_sample_of(const context& c) { return c.first_group * lane_count; }

/// The labels of rows, each of which is a sample.
template <class Label>
struct sample_labels {
  batch<const Label, shape<>> each;
  std::size_t first_sample = 0;  // of the batch, in its micro-batch

  Label operator[](std::size_t row) const { return each[row / lane_count][row % lane_count]; }
  [[nodiscard]] constexpr std::size_t sample_of(std::size_t row) const { return first_sample + row; }
};

/// The losses of a group of rows; those that are ignored have none, nor has padding.
template <classifies Layer, class T, std::size_t Classes, class Labels>
lanes<T> losses_of(Layer layer, batch<const T, shape<Classes>> x, std::size_t g, const Labels& labels) {
  constexpr cross_entropy_options options = options_of(Layer{});
  const lanes<T>* const in = x.group(g);
  const softmax_terms<lanes<T>> terms{in, Classes};
  lanes<T> wanted{};
  if constexpr (options.smoothing > 0) {
    for (std::size_t i = 0; i < Classes; ++i) wanted += in[i];
    wanted = number<T>(options.smoothing / Classes) * wanted;
  }
  const std::size_t first = g * lane_count;
  for (std::size_t l = 0; l < x.samples_in(g); ++l) {
    if (is_ignored(layer, labels[first + l])) continue;
    const T right = in[checked_label(labels[first + l], labels.sample_of(first + l), Classes)][l];
    wanted.set(l, static_cast<T>(wanted[l] + number<T>(1 - options.smoothing) * right));
  }
  lanes<T> losses = terms.surprise(wanted);
  for (std::size_t l = 0; l < lane_count; ++l)
    if (l >= x.samples_in(g) || is_ignored(layer, labels[first + l])) losses.set(l, T{});
  return losses;
}

/// The gradients of a group of rows, from those of their losses.
template <classifies Layer, class T, std::size_t Classes, class Labels>
void loss_gradients(Layer layer, batch<const T, shape<Classes>> x, std::size_t g, const Labels& labels, lanes<T> slope, lanes<T>* out) {
  constexpr cross_entropy_options options = options_of(Layer{});
  const lanes<T>* const in = x.group(g);
  const std::size_t first = g * lane_count;
  for (std::size_t l = 0; l < x.samples_in(g); ++l)
    if (is_ignored(layer, labels[first + l])) slope.set(l, T{});
  const softmax_terms<lanes<T>> terms{in, Classes};
  const lanes<T> scale = slope / terms.sum;
  for (std::size_t i = 0; i < Classes; ++i) {
    out[i] = scale * terms.exponential(in[i]);
    if constexpr (options.smoothing > 0) out[i] -= number<T>(options.smoothing / Classes) * slope;
  }
  for (std::size_t l = 0; l < x.samples_in(g); ++l) {
    if (is_ignored(layer, labels[first + l])) continue;
    lanes<T>& right = out[checked_label(labels[first + l], labels.sample_of(first + l), Classes)];
    right.set(l, static_cast<T>(right[l] - number<T>(1 - options.smoothing) * slope[l]));
  }
}

}  // namespace impl

template <impl::classifies Layer, class T, std::size_t Classes, class Label>
void forward(Layer layer, forward_pass<T, in<shape<Classes>, Label>, out<shape<Classes>, shape<>>> pass) {
  const auto x = std::get<0>(pass.in);
  const impl::sample_labels<Label> labels{std::get<1>(pass.in), impl::first_sample_of(pass.context)};
  const auto loss = std::get<1>(pass.out);
  for (std::size_t g = 0; g < x.groups; ++g) loss[g] = impl::losses_of(layer, x, g, labels);
}

template <impl::classifies Layer, class T, std::size_t Classes, class Label>
void backward_inputs(Layer layer, inputs_pass<T, in<shape<Classes>, Label>, out<shape<Classes>, shape<>>> pass) {
  const auto x = std::get<0>(pass.in);
  const impl::sample_labels<Label> labels{std::get<1>(pass.in), impl::first_sample_of(pass.context)};
  const auto d_loss = std::get<1>(pass.d_out);
  const auto d_x = std::get<0>(pass.d_in);
  for (std::size_t g = 0; g < x.groups; ++g) impl::loss_gradients(layer, x, g, labels, d_loss[g], d_x.group(g));
}

template <class T, class Shape>
  requires(!impl::sequence_shape<Shape>)
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
  requires(!impl::sequence_shape<Shape>)
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
