// SPDX-License-Identifier: BSL-1.0
// All axes in one, in the order in which they lie in memory: nothing is computed, the same memory is seen in another
// shape.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/layer.hpp>

#include <cstddef>

namespace ipuflow::nn {

struct flatten_t {};
inline constexpr flatten_t flatten{};

template <element E, std::size_t... Extent>
[[nodiscard]] constexpr tensor<E, shape<Extent...>::elements> output_of(flatten_t, tensor<E, Extent...>) {
  return {};
}

template <element E, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(flatten_t, tensor<E, Extent...>) {
  return {.inputs_need_input = false, .same_memory = true, .same_gradient = true};
}

}  // namespace ipuflow::nn
