// SPDX-License-Identifier: BSL-1.0
// A fully connected layer from a vector to a vector; of a sequence it takes each position alone, with the same weights.
// Parameters: weights [output][input], then biases, unless it is `without_biases`.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/kernels/linear_kernels.hpp>
#include <ipuflow/nn/layer.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::nn {

namespace impl {

template <std::size_t Outputs, bool Biased>
struct linear_layer {};

}  // namespace impl

template <std::size_t Outputs>
struct linear_t : impl::linear_layer<Outputs, true> {};
template <std::size_t Outputs>
struct linear_without_biases_t : impl::linear_layer<Outputs, false> {};

template <std::size_t Outputs>
  requires(Outputs > 0)
inline constexpr linear_t<Outputs> linear{};

/// The same with weights alone: `without_biases(nn::linear<10>)`.
template <std::size_t Outputs, bool Biased>
[[nodiscard]] constexpr linear_without_biases_t<Outputs> without_biases(impl::linear_layer<Outputs, Biased>) {
  return {};
}

template <std::size_t Outputs, bool Biased, real_element E, std::size_t Inputs>
[[nodiscard]] constexpr tensor<E, Outputs> output_of(impl::linear_layer<Outputs, Biased>, tensor<E, Inputs>) {
  return {};
}

template <std::size_t Outputs, bool Biased, real_element E, std::size_t Positions, std::size_t Inputs>
[[nodiscard]] constexpr tensor<E, Positions, Outputs> output_of(impl::linear_layer<Outputs, Biased>, tensor<E, Positions, Inputs>) {
  return {};
}

/// All groups in one call, so that each weight is loaded once for several.
template <std::size_t Outputs, bool Biased, real_element E, std::size_t Inputs>
[[nodiscard]] constexpr layer_facts facts(impl::linear_layer<Outputs, Biased>, tensor<E, Inputs>) {
  const std::size_t work = Outputs * Inputs;
  const std::size_t biases = Biased ? Outputs : 0;
  return {.parameters = work + biases,
          .biases = biases,
          .forward_work = work,
          .input_work = work,
          .weight_work = work,
          .whole_batch = true,
          .inputs_need_input = false,
          .weight_extents = {{Outputs, Inputs}, 2}};
}

template <std::size_t Outputs, bool Biased, real_element E, std::size_t Positions, std::size_t Inputs>
[[nodiscard]] constexpr layer_facts facts(impl::linear_layer<Outputs, Biased> layer, tensor<E, Positions, Inputs>) {
  return impl::of_positions(facts(layer, tensor<E, Inputs>{}), Positions);
}

template <class T, std::size_t O, bool B, class X, class Y>
void forward(impl::linear_layer<O, B>, forward_pass<T, in<X>, out<Y>> pass) {
  const auto x = rows_of(get<0>(pass.in));
  const auto y = rows_of(get<0>(pass.out));
  constexpr std::size_t inputs = decltype(x)::elements;
  impl::lane_product<T, O, inputs, inputs, 1>::run(pass.parameters, B ? pass.parameters + O * inputs : nullptr, x.data, y.data, x.groups);
}

template <class T, std::size_t O, bool B, class X, class Y>
void backward_inputs(impl::linear_layer<O, B>, inputs_pass<T, in<X>, out<Y>> pass) {
  const auto d_y = rows_of(get<0>(pass.d_out));
  const auto d_x = rows_of(get<0>(pass.d_in));
  constexpr std::size_t inputs = decltype(d_x)::elements;
  impl::lane_product<T, inputs, O, 1, inputs>::run(pass.parameters, nullptr, d_y.data, d_x.data, d_y.groups);
}

template <class T, std::size_t O, bool B, class X, class Y>
void backward_weights(impl::linear_layer<O, B>, weights_pass<T, in<X>, out<Y>> pass) {
  const auto x = rows_of(get<0>(pass.in));
  const auto d_y = rows_of(get<0>(pass.d_out));
  T* const d_biases = B ? pass.d_parameters + O * decltype(x)::elements : nullptr;
  impl::add_outer_products<impl::sequence_shape<X>>(x, d_y, pass.d_parameters, d_biases);
}

template <class T, std::size_t O, bool B, real_element E, std::size_t I>
constexpr void initialise_layer(impl::linear_layer<O, B> layer, tensor<E, I> in, std::uint64_t seed, T* values, T*) {
  impl::initialise_uniform(values, facts(layer, in).parameters, I, seed);
}
template <class T, std::size_t O, bool B, real_element E, std::size_t Positions, std::size_t I>
constexpr void initialise_layer(impl::linear_layer<O, B> layer, tensor<E, Positions, I>, std::uint64_t seed, T* values, T* state) {
  initialise_layer(layer, tensor<E, I>{}, seed, values, state);
}

}  // namespace ipuflow::nn
