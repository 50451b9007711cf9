// SPDX-License-Identifier: BSL-1.0
// Networks with concurrent branches: in the middle, two behind three, with values that they keep for later stages and
// values that go past them; and at both ends. Inputs are those of small_network.
#pragma once

#include "small_network.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace ipuflow::test {

/// What three branches give, added up.
struct merge_t {};
inline constexpr merge_t merge{};

template <element E, std::size_t N>
constexpr tensor<E, N> output_of(merge_t, tensor<E, N>, tensor<E, N>, tensor<E, N>) {
  return {};
}
template <element E, std::size_t N>
constexpr nn::layer_facts facts(merge_t, tensor<E, N>, tensor<E, N>, tensor<E, N>) {
  return {.inputs_need_input = false};
}
template <class T, class S>
void forward(merge_t, nn::forward_pass<T, nn::in<S, S, S>, nn::out<S>> pass) {
  const auto [a, b, c] = pass.in;
  const auto [y] = pass.out;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = a[i] + b[i] + c[i];
}
template <class T, class S>
void backward_inputs(merge_t, nn::inputs_pass<T, nn::in<S, S, S>, nn::out<S>> pass) {
  const auto [d_y] = pass.d_out;
  const auto [d_a, d_b, d_c] = pass.d_in;
  for (const auto& to : {d_a, d_b, d_c}) {
    for (std::size_t i = 0; to.wanted() && i < d_y.size(); ++i) to[i] = d_y[i];
  }
}

/// One of two values.
template <std::size_t Which>
struct pick_t {};
template <std::size_t Which>
inline constexpr pick_t<Which> pick{};

template <std::size_t Which, class A, class B>
constexpr auto output_of(pick_t<Which>, A a, B b) {
  if constexpr (Which == 0) {
    return a;
  } else {
    return b;
  }
}
template <std::size_t Which, class A, class B>
constexpr nn::layer_facts facts(pick_t<Which>, A, B) {
  return {.inputs_need_input = false};
}
template <std::size_t Which, class T, class A, class B, class Y>
void forward(pick_t<Which>, nn::forward_pass<T, nn::in<A, B>, nn::out<Y>> pass) {
  const auto [y] = pass.out;
  std::copy_n(get<Which>(pass.in).data, y.size(), y.data);
}
template <std::size_t Which, class T, class A, class B, class Y>
void backward_inputs(pick_t<Which>, nn::inputs_pass<T, nn::in<A, B>, nn::out<Y>> pass) {
  const auto [d_y] = pass.d_out;
  std::copy_n(d_y.data, d_y.size(), get<Which>(pass.d_in).data);
  nn::clear(get<1 - Which>(pass.d_in));
}

inline constexpr auto forked_network =
    pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>,
             stage(block<"in">(nn::flatten, nn::linear<6>, nn::tanh, keep<"early">)).ipu<0>(),
             concurrent(stage(block<"left">(nn::linear<6>, keep<"left">, nn::tanh)).ipu<1>(),
                        stage(block<"middle">(nn::linear<6>, nn::dropout<0.25>, nn::gelu)).ipu<2>(),
                        stage(block<"right">(keep<"right">, nn::linear<6>, nn::layer_norm)).ipu<3>()),
             concurrent(stage(block<"two">(merge, nn::linear<6>, nn::tanh)).ipu<4>(),
                        stage(block<"one">(merge, nn::checkpoint, nn::linear<6>, nn::tanh, nn::linear<6>)).ipu<5>()),
             stage(block<"out">(nn::add, use<"left">(nn::add), nn::linear<6>, nn::tanh, use<"right">(nn::add),
                                use<"early">(nn::add), nn::linear<4>, use<"label">(nn::cross_entropy)))
                 .ipu<6>());

/// Each branch reads the image, and each has a loss of its own.
inline constexpr auto forked_ends = pipeline(
    input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>,
    concurrent(stage(block<"a">(nn::conv2d<3, 3>, nn::batch_norm, nn::relu)).ipu<0>(),
               stage(block<"b">(nn::flatten, nn::linear<5>, nn::tanh)).ipu<1>()),
    concurrent(stage(block<"c">(pick<0>, nn::flatten, nn::linear<4>, use<"label">(nn::cross_entropy))).ipu<2>(),
               stage(block<"d">(pick<1>, nn::linear<4>, use<"label">(nn::cross_entropy))).ipu<3>()));

}  // namespace ipuflow::test
