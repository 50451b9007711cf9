// SPDX-License-Identifier: BSL-1.0
// A fully connected layer from a vector to a vector. Parameters: weights [output][input], then biases.
#pragma once

#include <ipuflow/core/shape.hpp>
#include <ipuflow/nn/batch.hpp>

#include <cstddef>

namespace ipuflow::nn {

template <std::size_t Outputs>
struct linear_t {};

template <std::size_t Outputs>
  requires(Outputs > 0)
inline constexpr linear_t<Outputs> linear{};

template <std::size_t Outputs, element E, std::size_t Inputs>
[[nodiscard]] constexpr tensor<E, Outputs> output_of(linear_t<Outputs>, tensor<E, Inputs>) {
  return {};
}

/// All groups in one call, so that each weight is loaded once for several.
template <std::size_t Outputs, element E, std::size_t Inputs>
[[nodiscard]] constexpr layer_facts facts(linear_t<Outputs>, tensor<E, Inputs>) {
  const std::size_t work = Outputs * Inputs;
  return {.parameters = work + Outputs,
          .biases = Outputs,
          .forward_work = work,
          .input_work = work,
          .weight_work = work,
          .whole_batch = true,
          .inputs_need_input = false};
}

}  // namespace ipuflow::nn
