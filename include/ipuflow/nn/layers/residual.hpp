// SPDX-License-Identifier: BSL-1.0
// The sum of two values of one shape: what ends a residual branch, `keep<"skip">, ..., use<"skip">(nn::add)`.
#pragma once

#include <ipuflow/core/shape.hpp>
#include <ipuflow/nn/batch.hpp>

#include <cstddef>

namespace ipuflow::nn {

struct add_t {};
inline constexpr add_t add{};

template <element E, std::size_t... Extent>
[[nodiscard]] constexpr tensor<E, Extent...> output_of(add_t, tensor<E, Extent...>, tensor<E, Extent...>) {
  return {};
}

template <element E, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(add_t, tensor<E, Extent...>, tensor<E, Extent...>) {
  return {.forward_work = shape<Extent...>::elements, .inputs_need_input = false};
}

template <class T, class Shape>
void forward(add_t, const context&, parameters<T>, batch<const T, Shape> a, batch<const T, Shape> b,
             batch<T, Shape> y) {
  for (std::size_t i = 0; i < a.groups * Shape::elements; ++i) y.data[i] = a.data[i] + b.data[i];
}

/// Either gradient may be unwanted.
template <class T, class Shape>
void backward_inputs(add_t, const context&, parameters<T>, batch<const T, Shape>, batch<const T, Shape>,
                     batch<const T, Shape>, batch<const T, Shape> d_y, batch<T, Shape> d_a, batch<T, Shape> d_b) {
  for (const batch<T, Shape> d_x : {d_a, d_b}) {
    if (d_x.data == nullptr) continue;
    for (std::size_t i = 0; i < d_y.groups * Shape::elements; ++i) d_x.data[i] = d_y.data[i];
  }
}

}  // namespace ipuflow::nn
