// SPDX-License-Identifier: BSL-1.0
// Beginnings and ends of sequences: an image as a sequence of its places, a learned position in front of all others, one position
// as a vector, features as positions. They only move numbers; what a pass does not write is zero.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/layer.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ipuflow::nn {

struct to_sequence_t {};
/// The places of an image, row by row, as positions with its channels as features: patches, behind a convolution of their size.
inline constexpr to_sequence_t to_sequence{};

struct swap_axes_t {};
/// The features of a sequence as positions, its positions as their features: scores of each position become scores over positions.
inline constexpr swap_axes_t swap_axes{};

struct class_token_t {};
/// A learned position, in front of all others. Parameters: its features.
inline constexpr class_token_t class_token{};

template <std::size_t Position>
struct position_t {};
/// One position of a sequence: `position<0>` is the class token.
template <std::size_t Position>
inline constexpr position_t<Position> position{};

template <element E, std::size_t C, std::size_t H, std::size_t W>
[[nodiscard]] constexpr tensor<E, H * W, C> output_of(to_sequence_t, tensor<E, C, H, W>) {
  return {};
}
template <element E, std::size_t Positions, std::size_t F>
[[nodiscard]] constexpr tensor<E, F, Positions> output_of(swap_axes_t, tensor<E, Positions, F>) {
  return {};
}
template <real_element E, std::size_t Positions, std::size_t F>
[[nodiscard]] constexpr tensor<E, Positions + 1, F> output_of(class_token_t, tensor<E, Positions, F>) {
  return {};
}
template <std::size_t Position, element E, std::size_t Positions, std::size_t F>
  requires(Position < Positions)
[[nodiscard]] constexpr tensor<E, F> output_of(position_t<Position>, tensor<E, Positions, F>) {
  return {};
}

template <element E, std::size_t C, std::size_t H, std::size_t W>
[[nodiscard]] constexpr layer_facts facts(to_sequence_t, tensor<E, C, H, W>) {
  return {.inputs_need_input = false};
}
template <element E, std::size_t Positions, std::size_t F>
[[nodiscard]] constexpr layer_facts facts(swap_axes_t, tensor<E, Positions, F>) {
  return {.inputs_need_input = false};
}
template <real_element E, std::size_t Positions, std::size_t F>
[[nodiscard]] constexpr layer_facts facts(class_token_t, tensor<E, Positions, F>) {
  return {.parameters = F, .weight_work = F, .whole_batch = true, .inputs_need_input = false, .weight_extents = {{F}, 1}};
}
template <std::size_t Position, element E, std::size_t Positions, std::size_t F>
[[nodiscard]] constexpr layer_facts facts(position_t<Position>, tensor<E, Positions, F>) {
  return {.inputs_need_input = false};
}

namespace impl {

/// to[sample][e] = from[sample][place_of(e)] for `count` elements from `first` on; all else is zero.
template <class From, class To, class PlaceOf>
void copy_elements(const From& from, const To& to, std::size_t first, std::size_t count, PlaceOf place_of) {
  using vector = typename To::lane_type;
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = vector{};
  for (std::size_t s = 0; s < from.samples; ++s) {
    for (std::size_t e = first; e < first + count; ++e) {
      const lane_place here = From::place_of(s, place_of(e));
      const lane_place there = To::place_of(s, e);
      to[there.vector].set(there.lane, from[here.vector][here.lane]);
    }
  }
}

/// Layers that turn a matrix round: an image is one of channels and places.
template <class Layer>
inline constexpr bool turns_round = std::is_same_v<Layer, to_sequence_t> || std::is_same_v<Layer, swap_axes_t>;

/// The place in an image [channel][place] of an element of its sequence [place][channel], and the reverse.
template <class Sequence>
constexpr auto in_image = [](std::size_t e) { return e % Sequence::extent(1) * Sequence::extent(0) + e / Sequence::extent(1); };
template <class Sequence>
constexpr auto in_sequence = [](std::size_t e) { return e % Sequence::extent(0) * Sequence::extent(1) + e / Sequence::extent(0); };

}  // namespace impl

template <class Layer, class T, class X, class Y>
  requires impl::turns_round<Layer>
void forward(Layer, forward_pass<T, in<X>, out<Y>> pass) {
  const auto y = get<0>(pass.out);
  impl::copy_elements(get<0>(pass.in), y, 0, y.elements, impl::in_image<typename decltype(y)::shape_type>);
}
template <class Layer, class T, class X, class Y>
  requires impl::turns_round<Layer>
void backward_inputs(Layer, inputs_pass<T, in<X>, out<Y>> pass) {
  const auto d_x = get<0>(pass.d_in);
  impl::copy_elements(get<0>(pass.d_out), d_x, 0, d_x.elements, impl::in_sequence<Y>);
}

template <class T, std::size_t P, std::size_t F, class Y>
void forward(class_token_t, forward_pass<T, in<shape<P, F>>, out<Y>> pass) {
  const auto [x] = pass.in;
  const auto [y] = pass.out;
  impl::copy_elements(x, y, F, P * F, [](std::size_t e) { return e - F; });
  for (std::size_t s = 0; s < y.samples; ++s) {
    for (std::size_t f = 0; f < F; ++f) {
      const lane_place at = y.place_of(s, f);
      y[at.vector].set(at.lane, pass.parameters[f]);
    }
  }
}
template <class T, std::size_t P, std::size_t F, class Y>
void backward_inputs(class_token_t, inputs_pass<T, in<shape<P, F>>, out<Y>> pass) {
  impl::copy_elements(get<0>(pass.d_out), get<0>(pass.d_in), 0, P * F, [](std::size_t e) { return e + F; });
}
template <class T, std::size_t P, std::size_t F, class Y>
void backward_weights(class_token_t, weights_pass<T, in<shape<P, F>>, out<Y>> pass) {
  const auto [d_y] = pass.d_out;
  for (std::size_t s = 0; s < d_y.samples; ++s) {
    for (std::size_t f = 0; f < F; ++f) {
      const lane_place at = d_y.place_of(s, f);
      add_to(pass.d_parameters[f], d_y[at.vector][at.lane]);
    }
  }
}

template <std::size_t Position, class T, class X, class Y>
void forward(position_t<Position>, forward_pass<T, in<X>, out<Y>> pass) {
  const auto y = get<0>(pass.out);
  constexpr std::size_t features = decltype(y)::elements;
  impl::copy_elements(get<0>(pass.in), y, 0, features, [](std::size_t e) { return Position * features + e; });
}
template <std::size_t Position, class T, class X, class Y>
void backward_inputs(position_t<Position>, inputs_pass<T, in<X>, out<Y>> pass) {
  constexpr std::size_t features = Y::elements;
  impl::copy_elements(get<0>(pass.d_out), get<0>(pass.d_in), Position * features, features,
                      [](std::size_t e) { return e - Position * features; });
}

template <class T, real_element E, std::size_t P, std::size_t F>
constexpr void initialise_layer(class_token_t, tensor<E, P, F>, std::uint64_t, T* values, T*) {
  for (std::size_t f = 0; f < F; ++f) values[f] = T{};
}

}  // namespace ipuflow::nn
