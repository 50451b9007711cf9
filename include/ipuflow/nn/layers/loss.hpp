// SPDX-License-Identifier: BSL-1.0
// Losses, which training minimises. A loss takes predictions and the values wanted, and gives both the predictions, so
// that they reach the host, and one number a sample: `use<"label">(nn::cross_entropy)`. The predictions are the memory
// that the loss was given; no gradient flows into them but that of the loss. Halves are added up in float.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/layers/softmax.hpp>
#include <ipuflow/nn/nn_fault.hpp>
#include <ipuflow/nn/simd/half_lanes.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace ipuflow::nn {

/// -log softmax(predictions)[label], PyTorch's CrossEntropyLoss.
struct cross_entropy_t {};
inline constexpr cross_entropy_t cross_entropy{};

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
[[nodiscard]] constexpr layer_facts facts(Layer layer, tensor<E, Classes>, Label) {
  return {.forward_work = 2 * Classes, .input_work = 3 * Classes, .same_memory = true, .ignored = impl::options_of(layer).ignored};
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
  if (index >= classes) throw_if(no_entry(label, classes, nn_wrong::label_too_large, nn_wrong::negative_label, {.op = sample}));
  return index;
}

template <classifies Layer, std::integral Label>
constexpr bool is_ignored(Layer layer, Label label) {
  return options_of(layer).ignored != no_label && static_cast<std::int64_t>(label) == options_of(layer).ignored;
}

constexpr std::size_t first_sample_of(const context& c) { return c.first_group * lane_count; }

/// The label of each row: of a sample, or of a position of one.
template <class Label, class Shape, std::size_t Rows>
struct row_labels {
  batch<const Label, Shape> each;
  std::size_t first_sample = 0;  // of the batch, in its micro-batch

  Label operator[](std::size_t row) const {
    const std::size_t sample = row / Rows;
    return each.group(sample / lane_count)[row % Rows][sample % lane_count];
  }
  [[nodiscard]] constexpr std::size_t sample_of(std::size_t row) const { return first_sample + row / Rows; }
};

template <std::size_t Rows, class Label, class Shape>
row_labels<Label, Shape, Rows> labels_of(batch<const Label, Shape> each, const context& c) {
  return {each, first_sample_of(c)};
}

/// The losses of samples, from numbers of their rows, which come one after the other: halves are added up in float.
template <class T, std::size_t Rows>
class mean_of_rows {
 public:
  using wide = wide_number<T>;

  explicit mean_of_rows(batch<T, shape<>> losses) : losses_{losses} {
    for (std::size_t g = 0; g < losses.groups; ++g) losses[g] = lanes<T>{};
  }
  void add(const lanes<wide>& more, std::size_t count) {
    for (std::size_t l = 0; l < count; ++l) {
      sum_ += more[l];
      if (++row_ % Rows > 0) continue;
      const std::size_t sample = row_ / Rows - 1;
      losses_[sample / lane_count].set(sample % lane_count, static_cast<T>(number<wide>(1.0 / Rows) * sum_));
      sum_ = {};
    }
  }

 private:
  batch<T, shape<>> losses_;
  wide sum_{};
  std::size_t row_ = 0;
};

/// The gradients of the rows of a group: that of their sample's loss, times `factor`.
template <std::size_t Rows, class T>
lanes<wide_number<T>> slopes_of_rows(batch<const T, shape<>> d_loss, std::size_t g, std::size_t count, double factor) {
  using wide = wide_number<T>;
  lanes<wide> slopes{};
  for (std::size_t l = 0; l < count; ++l) {
    const std::size_t sample = (g * lane_count + l) / Rows;
    slopes.set(l, number<wide>(factor) * static_cast<wide>(d_loss[sample / lane_count][sample % lane_count]));
  }
  return slopes;
}

/// The losses of a group of rows; those that are ignored have none, nor has padding.
template <classifies Layer, class T, std::size_t Classes, class Labels>
lanes<wide_number<T>> losses_of(Layer layer, batch<const T, shape<Classes>> x, std::size_t g, const Labels& labels) {
  using wide = wide_number<T>;
  constexpr cross_entropy_options options = options_of(Layer{});
  const wide_values<T> in{x.group(g)};
  const softmax_terms<lanes<wide>> terms{in, Classes};
  lanes<wide> wanted{};
  if constexpr (options.smoothing > 0) {
    for (std::size_t i = 0; i < Classes; ++i) wanted += in[i];
    wanted = number<wide>(options.smoothing / Classes) * wanted;
  }
  const std::size_t first = g * lane_count;
  for (std::size_t l = 0; l < x.samples_in(g); ++l) {
    if (is_ignored(layer, labels[first + l])) continue;
    const wide right = in[checked_label(labels[first + l], labels.sample_of(first + l), Classes)][l];
    wanted.set(l, wanted[l] + number<wide>(1 - options.smoothing) * right);
  }
  lanes<wide> losses = terms.surprise(wanted);
  for (std::size_t l = 0; l < lane_count; ++l)
    if (l >= x.samples_in(g) || is_ignored(layer, labels[first + l])) losses.set(l, 0);
  return losses;
}

/// The gradients of a group of rows, from those of their losses.
template <classifies Layer, class T, std::size_t Classes, class Labels>
void loss_gradients(Layer layer, batch<const T, shape<Classes>> x, std::size_t g, const Labels& labels, const lanes<wide_number<T>>& d_loss,
                    lanes<T>* out) {
  using wide = wide_number<T>;
  constexpr cross_entropy_options options = options_of(Layer{});
  const wide_values<T> in{x.group(g)};
  const std::size_t first = g * lane_count;
  lanes<wide> slope = d_loss;
  for (std::size_t l = 0; l < x.samples_in(g); ++l)
    if (is_ignored(layer, labels[first + l])) slope.set(l, 0);
  const softmax_terms<lanes<wide>> terms{in, Classes};
  const lanes<wide> scale = slope / terms.sum;
  for (std::size_t i = 0; i < Classes; ++i) {
    lanes<wide> made = scale * terms.exponential(in[i]);
    if constexpr (options.smoothing > 0) made -= number<wide>(options.smoothing / Classes) * slope;
    out[i] = narrowed<T>(made);
  }
  for (std::size_t l = 0; options.ignored != no_label && l < x.samples_in(g); ++l) {
    if (!is_ignored(layer, labels[first + l]) || scale[l] == 0) continue;  // 0 times what is no number is none
    for (std::size_t i = 0; i < Classes; ++i) out[i].set(l, static_cast<T>(0));
  }
  for (std::size_t l = 0; l < x.samples_in(g); ++l) {
    if (is_ignored(layer, labels[first + l])) continue;
    lanes<T>& right = out[checked_label(labels[first + l], labels.sample_of(first + l), Classes)];
    right.set(l, static_cast<T>(static_cast<wide>(right[l]) - number<wide>(1 - options.smoothing) * slope[l]));
  }
}

}  // namespace impl

template <impl::classifies Layer, class T, class Shape, class Label>
void forward(Layer layer, forward_pass<T, in<Shape, Label>, out<Shape, shape<>>> pass) {
  constexpr std::size_t rows = impl::rows_in<Shape>::count;
  const auto x = rows_of(get<0>(pass.in));
  const auto labels = impl::labels_of<rows>(get<1>(pass.in), pass.context);
  impl::mean_of_rows<T, rows> losses{get<1>(pass.out)};
  for (std::size_t g = 0; g < x.groups; ++g) losses.add(impl::losses_of(layer, x, g, labels), x.samples_in(g));
}

template <impl::classifies Layer, class T, class Shape, class Label>
void backward_inputs(Layer layer, inputs_pass<T, in<Shape, Label>, out<Shape, shape<>>> pass) {
  constexpr std::size_t rows = impl::rows_in<Shape>::count;
  const auto x = rows_of(get<0>(pass.in));
  const auto d_x = rows_of(get<0>(pass.d_in));
  const auto labels = impl::labels_of<rows>(get<1>(pass.in), pass.context);
  for (std::size_t g = 0; g < x.groups; ++g) {
    const auto slopes = impl::slopes_of_rows<rows>(get<1>(pass.d_out), g, x.samples_in(g), 1.0 / rows);
    impl::loss_gradients(layer, x, g, labels, slopes, d_x.group(g));
  }
}

template <class T, class Shape>
void forward(mean_squared_error_t, forward_pass<T, in<Shape, Shape>, out<Shape, shape<>>> pass) {
  using wide = impl::wide_number<T>;
  const auto x = rows_of(get<0>(pass.in));
  const auto target = rows_of(get<1>(pass.in));
  impl::mean_of_rows<T, impl::rows_in<Shape>::count> losses{get<1>(pass.out)};
  for (std::size_t g = 0; g < x.groups; ++g) {
    lanes<wide> total{};
    for (std::size_t i = 0; i < x.elements; ++i) {
      const lanes<wide> difference = impl::widened(x.group(g)[i]) - impl::widened(target.group(g)[i]);
      total += difference * difference;
    }
    losses.add(number<wide>(1.0 / x.elements) * total, x.samples_in(g));
  }
}

/// Either gradient may be unwanted.
template <class T, class Shape>
void backward_inputs(mean_squared_error_t, inputs_pass<T, in<Shape, Shape>, out<Shape, shape<>>> pass) {
  using wide = impl::wide_number<T>;
  const auto x = rows_of(get<0>(pass.in));
  const auto target = rows_of(get<1>(pass.in));
  const auto d_x = rows_of(get<0>(pass.d_in));
  const auto d_target = rows_of(get<1>(pass.d_in));
  for (std::size_t g = 0; g < x.groups; ++g) {
    const auto slopes =
        impl::slopes_of_rows<impl::rows_in<Shape>::count>(get<1>(pass.d_out), g, x.samples_in(g), 2.0 / Shape::elements);
    for (std::size_t i = 0; i < x.elements; ++i) {
      const lanes<wide> slope = slopes * (impl::widened(x.group(g)[i]) - impl::widened(target.group(g)[i]));
      if (d_x.wanted()) d_x.group(g)[i] = impl::narrowed<T>(slope);
      if (d_target.wanted()) d_target.group(g)[i] = impl::narrowed<T>(lanes<wide>{} - slope);
    }
  }
}

}  // namespace ipuflow::nn
