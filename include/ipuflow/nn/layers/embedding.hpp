// SPDX-License-Identifier: BSL-1.0
// Vectors that are looked up: of each token of a sequence, of what kind it is, of where it stands. Parameters: a table
// [entry][feature], normal around 0 with a deviation of 0.02, as BERT and GPT-2 begin.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/kernels/table_rows.hpp>
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/nn_fault.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace ipuflow::nn {

template <std::size_t Vocabulary, std::size_t Features, real_element E>
struct embedding_t {};
/// A vector for each token, which counts from 0: PyTorch's `Embedding`.
template <std::size_t Vocabulary, std::size_t Features, real_element E = float>
  requires(Vocabulary > 0 && Features > 0)
inline constexpr embedding_t<Vocabulary, Features, E> embedding{};

template <std::size_t Kinds>
struct add_embedding_t {};
/// Adds a vector to each position, by its kind: `use<"segment">(nn::add_embedding<2>)`.
template <std::size_t Kinds>
  requires(Kinds > 0)
inline constexpr add_embedding_t<Kinds> add_embedding{};

template <std::size_t Most>
struct position_embedding_t {};
/// Adds to each position a vector of its own.
inline constexpr position_embedding_t<0> position_embedding{};
/// The same with a table for longer sequences: BERT has 512 positions, however many are given.
template <std::size_t Most>
  requires(Most > 0)
inline constexpr position_embedding_t<Most> position_embedding_up_to{};

template <std::size_t V, std::size_t F, real_element E, std::integral Token, std::size_t Positions>
[[nodiscard]] constexpr tensor<E, Positions, F> output_of(embedding_t<V, F, E>, tensor<Token, Positions>) {
  return {};
}
template <std::size_t Kinds, real_element E, std::size_t Positions, std::size_t F, std::integral Kind>
[[nodiscard]] constexpr tensor<E, Positions, F> output_of(add_embedding_t<Kinds>, tensor<E, Positions, F>, tensor<Kind, Positions>) {
  return {};
}
template <std::size_t Most, real_element E, std::size_t Positions, std::size_t F>
  requires(Most == 0 || Positions <= Most)
[[nodiscard]] constexpr tensor<E, Positions, F> output_of(position_embedding_t<Most>, tensor<E, Positions, F>) {
  return {};
}

namespace impl {

[[nodiscard]] constexpr layer_facts table_facts(std::size_t entries, std::size_t features, std::size_t positions) {
  return {.parameters = entries * features,
          .forward_work = positions * features,
          .weight_work = positions * features,
          .whole_batch = true,
          .inputs_need_input = false,
          .weight_extents = {{entries, features}, 2}};
}

/// Sums of twelve uniform numbers, whose deviation is 1.
template <class T>
constexpr void initialise_normal(T* values, std::size_t count, double deviation, std::uint64_t seed) {
  for (std::size_t i = 0; i < count; ++i) {
    double sum = -6;
    for (std::size_t k = 0; k < 12; ++k) sum += static_cast<double>(random_unit(seed, 12 * i + k));
    values[i] = static_cast<T>(static_cast<float>(deviation * sum));
  }
}

/// The entry of each row, by a number for each position of each sample.
template <class Whole, std::size_t Positions>
struct entries_by_number {
  batch<const Whole, shape<Positions>> numbers;
  std::size_t entries;
  bool of_kinds = false;

  std::size_t operator()(std::size_t row) const {
    const std::size_t sample = row / Positions;
    const auto token = numbers.group(sample / lane_count)[row % Positions][sample % lane_count];
    const auto entry = static_cast<std::size_t>(token);
    if (entry >= entries) throw_if(no_row(token, entries, of_kinds, row % Positions, sample));
    return entry;
  }
};

/// The entry that is added to each row, from what the layer reads.
template <std::size_t Kinds, class X, class Kind, std::size_t Positions>
entries_by_number<Kind, Positions> entries_added(add_embedding_t<Kinds>, const views<X, batch<const Kind, shape<Positions>>>& in) {
  return {get<1>(in), Kinds, true};
}
template <std::size_t Most, class T, std::size_t Positions, std::size_t Features>
auto entries_added(position_embedding_t<Most>, const views<batch<const T, shape<Positions, Features>>>&) {
  return [](std::size_t row) { return row % Positions; };
}

template <class Layer>
inline constexpr bool adds_rows = false;
template <std::size_t Kinds>
inline constexpr bool adds_rows<add_embedding_t<Kinds>> = true;
template <std::size_t Most>
inline constexpr bool adds_rows<position_embedding_t<Most>> = true;

}  // namespace impl

template <std::size_t V, std::size_t F, real_element E, std::integral Token, std::size_t Positions>
[[nodiscard]] constexpr layer_facts facts(embedding_t<V, F, E>, tensor<Token, Positions>) {
  return impl::table_facts(V, F, Positions);
}
template <std::size_t Kinds, real_element E, std::size_t Positions, std::size_t F, std::integral Kind>
[[nodiscard]] constexpr layer_facts facts(add_embedding_t<Kinds>, tensor<E, Positions, F>, tensor<Kind, Positions>) {
  layer_facts known = impl::table_facts(Kinds, F, Positions);
  known.input_work = Positions * F;
  return known;
}
template <std::size_t Most, real_element E, std::size_t Positions, std::size_t F>
[[nodiscard]] constexpr layer_facts facts(position_embedding_t<Most>, tensor<E, Positions, F>) {
  layer_facts known = impl::table_facts(Most == 0 ? Positions : Most, F, Positions);
  known.input_work = Positions * F;
  return known;
}

template <std::size_t V, std::size_t F, real_element E, class T, class Token, std::size_t P>
void forward(embedding_t<V, F, E>, forward_pass<T, in<tensor<Token, P>>, out<shape<P, F>>> pass) {
  const impl::entries_by_number<Token, P> entries{get<0>(pass.in), V};
  impl::gather_rows<false>(pass.parameters, rows_of(get<0>(pass.out)), entries);
}
template <std::size_t V, std::size_t F, real_element E, class T, class Token, std::size_t P>
void backward_weights(embedding_t<V, F, E>, weights_pass<T, in<tensor<Token, P>>, out<shape<P, F>>> pass) {
  const impl::entries_by_number<Token, P> entries{get<0>(pass.in), V};
  impl::add_to_rows(pass.d_parameters, rows_of(get<0>(pass.d_out)), entries);
}

/// Both layers that add a row to each position: by its kind, or by where it stands.
template <class Layer, class T, class... In, class X>
  requires impl::adds_rows<Layer>
void forward(Layer layer, forward_pass<T, in<X, In...>, out<X>> pass) {
  const auto x = get<0>(pass.in);
  const auto [y] = pass.out;
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i];
  impl::gather_rows<true>(pass.parameters, rows_of(y), impl::entries_added(layer, pass.in));
}
template <class Layer, class T, class... In, class X>
  requires impl::adds_rows<Layer>
void backward_inputs(Layer, inputs_pass<T, in<X, In...>, out<X>> pass) {
  const auto [d_y] = pass.d_out;
  const auto [d_x] = pass.d_in;
  for (std::size_t i = 0; i < d_y.size(); ++i) d_x[i] = d_y[i];
}
template <class Layer, class T, class... In, class X>
  requires impl::adds_rows<Layer>
void backward_weights(Layer layer, weights_pass<T, in<X, In...>, out<X>> pass) {
  impl::add_to_rows(pass.d_parameters, rows_of(get<0>(pass.d_out)), impl::entries_added(layer, pass.in));
}

template <class T, std::size_t V, std::size_t F, real_element E, std::integral Token, std::size_t P>
constexpr void initialise_layer(embedding_t<V, F, E>, tensor<Token, P>, std::uint64_t seed, T* values, T*) {
  impl::initialise_normal(values, V * F, 0.02, seed);
}
template <class T, std::size_t Kinds, real_element E, std::size_t P, std::size_t F>
constexpr void initialise_layer(add_embedding_t<Kinds>, tensor<E, P, F>, std::uint64_t seed, T* values, T*) {
  impl::initialise_normal(values, Kinds * F, 0.02, seed);
}
template <class T, std::size_t Most, real_element E, std::size_t P, std::size_t F>
constexpr void initialise_layer(position_embedding_t<Most> layer, tensor<E, P, F> x, std::uint64_t seed, T* values, T*) {
  impl::initialise_normal(values, facts(layer, x).parameters, 0.02, seed);
}

}  // namespace ipuflow::nn
