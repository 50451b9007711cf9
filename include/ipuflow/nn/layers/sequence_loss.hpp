// SPDX-License-Identifier: BSL-1.0
// Losses of sequences: the mean over the positions of a sample. Next-token prediction is a cross-entropy with the tokens that come
// next as labels; positions that are ignored still count in the mean.
#pragma once

#include <ipuflow/nn/layers/loss.hpp>

#include <concepts>
#include <cstddef>
#include <tuple>

namespace ipuflow::nn {

template <impl::classifies Layer, real_element E, std::size_t Positions, std::size_t Classes, std::integral Label>
[[nodiscard]] constexpr std::tuple<tensor<E, Positions, Classes>, tensor<float>> output_of(Layer, tensor<E, Positions, Classes>,
                                                                                           tensor<Label, Positions>) {
  return {};
}

template <impl::classifies Layer, real_element E, std::size_t Positions, std::size_t Classes, std::integral Label>
[[nodiscard]] constexpr layer_facts facts(Layer layer, tensor<E, Positions, Classes>, tensor<Label, Positions>) {
  return impl::of_positions(facts(layer, tensor<E, Classes>{}, Label{}), Positions);
}

namespace impl {

/// The numbers of single samples, one lane each, for the rows of a sequence.
template <class T, std::size_t Positions>
struct of_samples {
  batch<T, shape<>> each;

  auto operator[](std::size_t row) const { return each.data[row / Positions / lane_count][row / Positions % lane_count]; }
  void add(std::size_t row, T more) const {
    auto& vector = each.data[row / Positions / lane_count];
    const std::size_t lane = row / Positions % lane_count;
    vector.set(lane, static_cast<T>(vector[lane] + more));
  }
};

/// The label of each row.
template <class Label, std::size_t Positions>
struct row_labels {
  batch<const Label, shape<Positions>> each;
  std::size_t first_sample = 0;  // of the batch, in its micro-batch

  Label operator[](std::size_t row) const {
    const std::size_t sample = row / Positions;
    return each.group(sample / lane_count)[row % Positions][sample % lane_count];
  }
  [[nodiscard]] constexpr std::size_t sample_of(std::size_t row) const { return first_sample + row / Positions; }
};

}  // namespace impl

template <impl::classifies Layer, class T, std::size_t P, std::size_t Classes, class Label>
void forward(Layer layer, forward_pass<T, in<shape<P, Classes>, tensor<Label, P>>, out<shape<P, Classes>, shape<>>> pass) {
  const auto x = rows_of(std::get<0>(pass.in));
  const impl::row_labels<Label, P> labels{std::get<1>(pass.in), impl::first_sample_of(pass.context)};
  const impl::of_samples<T, P> loss{std::get<1>(pass.out)};
  for (std::size_t g = 0; g < loss.each.groups; ++g) loss.each[g] = lanes<T>{};
  for (std::size_t g = 0; g < x.groups; ++g) {
    const lanes<T> losses = number<T>(1.0 / P) * impl::losses_of(layer, x, g, labels);
    for (std::size_t l = 0; l < x.samples_in(g); ++l) loss.add(g * lane_count + l, losses[l]);
  }
}

template <impl::classifies Layer, class T, std::size_t P, std::size_t Classes, class Label>
void backward_inputs(Layer layer, inputs_pass<T, in<shape<P, Classes>, tensor<Label, P>>, out<shape<P, Classes>, shape<>>> pass) {
  const auto x = rows_of(std::get<0>(pass.in));
  const auto d_x = rows_of(std::get<0>(pass.d_in));
  const impl::row_labels<Label, P> labels{std::get<1>(pass.in), impl::first_sample_of(pass.context)};
  const impl::of_samples<const T, P> d_loss{std::get<1>(pass.d_out)};
  for (std::size_t g = 0; g < x.groups; ++g) {
    lanes<T> slope{};
    for (std::size_t l = 0; l < x.samples_in(g); ++l) slope.set(l, static_cast<T>(number<T>(1.0 / P) * d_loss[g * lane_count + l]));
    impl::loss_gradients(layer, x, g, labels, slope, d_x.group(g));
  }
}

template <class T, std::size_t P, std::size_t F>
void forward(mean_squared_error_t, forward_pass<T, in<shape<P, F>, shape<P, F>>, out<shape<P, F>, shape<>>> pass) {
  const auto x = rows_of(std::get<0>(pass.in));
  const auto target = rows_of(std::get<1>(pass.in));
  const impl::of_samples<T, P> loss{std::get<1>(pass.out)};
  for (std::size_t g = 0; g < loss.each.groups; ++g) loss.each[g] = lanes<T>{};
  for (std::size_t g = 0; g < x.groups; ++g) {
    lanes<T> total{};
    for (std::size_t i = 0; i < F; ++i) {
      const lanes<T> difference = x.group(g)[i] - target.group(g)[i];
      total += difference * difference;
    }
    total = number<T>(1.0 / (P * F)) * total;
    for (std::size_t l = 0; l < x.samples_in(g); ++l) loss.add(g * lane_count + l, total[l]);
  }
}

/// Either gradient may be unwanted.
template <class T, std::size_t P, std::size_t F>
void backward_inputs(mean_squared_error_t, inputs_pass<T, in<shape<P, F>, shape<P, F>>, out<shape<P, F>, shape<>>> pass) {
  const auto x = rows_of(std::get<0>(pass.in));
  const auto target = rows_of(std::get<1>(pass.in));
  const auto d_x = rows_of(std::get<0>(pass.d_in));
  const auto d_target = rows_of(std::get<1>(pass.d_in));
  const impl::of_samples<const T, P> d_loss{std::get<1>(pass.d_out)};
  for (std::size_t g = 0; g < x.groups; ++g) {
    lanes<T> scale{};
    for (std::size_t l = 0; l < x.samples_in(g); ++l) scale.set(l, static_cast<T>(number<T>(2.0 / (P * F)) * d_loss[g * lane_count + l]));
    for (std::size_t i = 0; i < F; ++i) {
      const lanes<T> slope = scale * (x.group(g)[i] - target.group(g)[i]);
      if (d_x.wanted()) d_x.group(g)[i] = slope;
      if (d_target.wanted()) d_target.group(g)[i] = lanes<T>{} - slope;
    }
  }
}

}  // namespace ipuflow::nn
