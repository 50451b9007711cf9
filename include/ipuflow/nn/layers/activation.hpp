// SPDX-License-Identifier: BSL-1.0
// Functions of each element alone: the shape stays as it is.
#pragma once

#include <ipuflow/core/shape.hpp>
#include <ipuflow/nn/batch.hpp>

#include <cstddef>

namespace ipuflow::nn {

/// `needs_input`: the slope is computed from the input; otherwise from the output.
template <bool NeedsInput>
struct activation {
  static constexpr bool needs_input = NeedsInput;
};

struct relu_t : activation<false> {};
struct sigmoid_t : activation<false> {};
struct tanh_t : activation<false> {};
struct gelu_t : activation<true> {};

inline constexpr relu_t relu{};
inline constexpr sigmoid_t sigmoid{};
inline constexpr tanh_t tanh{};
/// x times the probability that a normal variable is below x; exact, not the approximation by tanh.
inline constexpr gelu_t gelu{};

template <bool NeedsInput, element E, std::size_t... Extent>
[[nodiscard]] constexpr tensor<E, Extent...> output_of(activation<NeedsInput>, tensor<E, Extent...>) {
  return {};
}

template <bool NeedsInput, element E, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(activation<NeedsInput>, tensor<E, Extent...>) {
  constexpr std::size_t elements = shape<Extent...>::elements;
  return {.forward_work = elements,
          .input_work = elements,
          .inputs_need_input = NeedsInput,
          .inputs_need_output = !NeedsInput};
}

}  // namespace ipuflow::nn
