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
template <class T, class Shape, class In = nn::batch<const T, Shape>>
void forward(merge_t, const nn::context&, nn::parameters<T>, In a, In b, In c, nn::batch<T, Shape> y) {
  for (std::size_t i = 0; i < y.groups * Shape::elements; ++i) y.data[i] = a.data[i] + b.data[i] + c.data[i];
}
template <class T, class Shape, class In = nn::batch<const T, Shape>, class Out = nn::batch<T, Shape>>
void backward_inputs(merge_t, const nn::context&, nn::parameters<T>, In, In, In, In, nn::batch<const T, Shape> d_y,
                     Out a, Out b, Out c) {
  for (const Out to : {a, b, c}) {
    for (std::size_t i = 0; to.data != nullptr && i < d_y.groups * Shape::elements; ++i) to.data[i] = d_y.data[i];
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
void forward(pick_t<Which>, const nn::context&, nn::parameters<T>, A a, B b, Y y) {
  const auto x = std::get<Which>(std::tuple{a, b});
  std::copy_n(x.data, y.groups * y.elements, y.data);
}
template <std::size_t Which, class T, class A, class B, class Y, class Dy, class Da, class Db>
void backward_inputs(pick_t<Which>, const nn::context&, nn::parameters<T>, A, B, Y, Dy d_y, Da d_a, Db d_b) {
  const std::tuple both{d_a, d_b};
  std::copy_n(d_y.data, d_y.groups * d_y.elements, std::get<Which>(both).data);
  nn::clear(std::get<1 - Which>(both));
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
