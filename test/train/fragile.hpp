// SPDX-License-Identifier: BSL-1.0
// A layer and an optimiser that fail where a test wants them to: each pass calls a function of the test, which may throw.
#pragma once

#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <tuple>

namespace ipuflow::test {

/// Hands on what it is given.
template <void (*Call)()>
struct fragile_t {};
template <void (*Call)()>
inline constexpr fragile_t<Call> fragile{};

template <void (*Call)(), element E, std::size_t... Extent>
constexpr tensor<E, Extent...> output_of(fragile_t<Call>, tensor<E, Extent...>) {
  return {};
}
template <void (*Call)(), element E, std::size_t... Extent>
constexpr nn::layer_facts facts(fragile_t<Call>, tensor<E, Extent...>) {
  return {.whole_batch = true, .inputs_need_input = false};
}
template <void (*Call)(), class T, class Shape>
void forward(fragile_t<Call>, nn::forward_pass<T, nn::in<Shape>, nn::out<Shape>> pass) {
  Call();
  const auto [x] = pass.in;
  std::copy_n(x.data, x.size(), get<0>(pass.out).data);
}
template <void (*Call)(), class T, class Shape>
void backward_inputs(fragile_t<Call>, nn::inputs_pass<T, nn::in<Shape>, nn::out<Shape>> pass) {
  Call();
  const auto [d_y] = pass.d_out;
  std::copy_n(d_y.data, d_y.size(), get<0>(pass.d_in).data);
}

/// Plain descent with a memory.
template <void (*Call)()>
struct fragile_descent {
  using state_type = float;
  static constexpr std::size_t states = 1;
  static constexpr std::size_t operations = 4;

  template <class Number>
  void update(std::span<Number> values, std::span<const float> gradients, std::span<float> state, std::size_t) const {
    Call();
    for (std::size_t i = 0; i < values.size(); ++i) {
      state[i] = 0.5f * state[i] + gradients[i];
      values[i] = static_cast<Number>(values[i] - 0.01f * state[i]);
    }
  }
};

}  // namespace ipuflow::test
