// SPDX-License-Identifier: BSL-1.0
// A place in a stage where recomputation begins again: the value that flows here is stored instead of being made again.
// Between two checkpoints activations live only while the backward pass goes through them. Computes nothing, and means
// something only to schedules that recompute within the backward pass.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/layer.hpp>

#include <cstddef>

namespace ipuflow::nn {

struct checkpoint_t {};
inline constexpr checkpoint_t checkpoint{};

template <element E, std::size_t... Extent>
[[nodiscard]] constexpr tensor<E, Extent...> output_of(checkpoint_t, tensor<E, Extent...>) {
  return {};
}

template <element E, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(checkpoint_t, tensor<E, Extent...>) {
  return {.inputs_need_input = false, .same_memory = true, .same_gradient = true, .checkpoint = true};
}

}  // namespace ipuflow::nn
