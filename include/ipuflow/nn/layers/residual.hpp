// SPDX-License-Identifier: BSL-1.0
// The sum of two values of one shape: what ends a residual branch, `keep<"skip">, ..., use<"skip">(nn::add)`.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/layer.hpp>

#include <cstddef>

namespace ipuflow::nn {

struct add_t {};
inline constexpr add_t add{};

template <real_element E, std::size_t... Extent>
[[nodiscard]] constexpr tensor<E, Extent...> output_of(add_t, tensor<E, Extent...>, tensor<E, Extent...>) {
  return {};
}

template <real_element E, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(add_t, tensor<E, Extent...>, tensor<E, Extent...>) {
  return {.forward_work = shape<Extent...>::elements, .inputs_need_input = false};
}

template <class T, class Shape>
void forward(add_t, forward_pass<T, in<Shape, Shape>, out<Shape>> pass) {
  const auto [a, b] = pass.in;
  const auto [y] = pass.out;
  for (std::size_t i = 0; i < a.size(); ++i) y[i] = a[i] + b[i];
}

/// Either gradient may be unwanted.
template <class T, class Shape>
void backward_inputs(add_t, inputs_pass<T, in<Shape, Shape>, out<Shape>> pass) {
  const auto [d_y] = pass.d_out;
  const auto [d_a, d_b] = pass.d_in;
  for (const auto& d_x : {d_a, d_b}) {
    for (std::size_t i = 0; d_x.wanted() && i < d_y.size(); ++i) d_x[i] = d_y[i];
  }
}

}  // namespace ipuflow::nn
