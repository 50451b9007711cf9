// SPDX-License-Identifier: BSL-1.0
// The identity. A stage puts it where a value must lie in two places: because it entered the stage and leaves it, or
// because it leaves twice. Pipelines have no use for it.
#pragma once

#include <ipuflow/nn/layer.hpp>

#include <cstddef>

namespace ipuflow::nn {

struct copy_t {};

template <class Type>
constexpr Type output_of(copy_t, Type) {
  return {};
}
template <class Type>
constexpr layer_facts facts(copy_t, Type) {
  return {.inputs_need_input = false};
}

template <class T, class Value>
void forward(copy_t, forward_pass<T, in<Value>, out<Value>> pass) {
  const auto [x] = pass.in;
  const auto [y] = pass.out;
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i];
}

template <class T, class Value>
void backward_inputs(copy_t, inputs_pass<T, in<Value>, out<Value>> pass) {
  const auto [d_y] = pass.d_out;
  const auto [d_x] = pass.d_in;
  for (std::size_t i = 0; i < d_y.size(); ++i) d_x[i] = d_y[i];
}

}  // namespace ipuflow::nn
