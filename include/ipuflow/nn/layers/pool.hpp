// SPDX-License-Identifier: BSL-1.0
// Pooling over squares of a plane, `Stride` apart; the plane may be padded. What does not fill a square at the right
// and lower edge is left out. Padding never wins a maximum; in an average it counts as zeros, as PyTorch has it.
#pragma once

#include <ipuflow/core/shape.hpp>
#include <ipuflow/nn/batch.hpp>

#include <cstddef>

namespace ipuflow::nn {

/// The squares that a pooling layer looks at.
template <std::size_t Size, std::size_t Stride, std::size_t Padding>
struct pool_windows {};

template <std::size_t Size, std::size_t Stride, std::size_t Padding>
struct max_pool_t : pool_windows<Size, Stride, Padding> {};
template <std::size_t Size, std::size_t Stride, std::size_t Padding>
struct average_pool_t : pool_windows<Size, Stride, Padding> {};

template <std::size_t Size, std::size_t Stride = Size, std::size_t Padding = 0>
  requires(Size > 0 && Stride > 0 && 2 * Padding <= Size)
inline constexpr max_pool_t<Size, Stride, Padding> max_pool{};

template <std::size_t Size, std::size_t Stride = Size, std::size_t Padding = 0>
  requires(Size > 0 && Stride > 0 && 2 * Padding <= Size)
inline constexpr average_pool_t<Size, Stride, Padding> average_pool{};

template <std::size_t Size, std::size_t S, std::size_t P, element E, std::size_t C, std::size_t H, std::size_t W>
  requires(H + 2 * P >= Size && W + 2 * P >= Size)
[[nodiscard]] constexpr tensor<E, C, (H + 2 * P - Size) / S + 1, (W + 2 * P - Size) / S + 1> output_of(pool_windows<Size, S, P>,
                                                                                                       tensor<E, C, H, W>) {
  return {};
}

template <std::size_t Size, std::size_t S, std::size_t P, element E, std::size_t C, std::size_t H, std::size_t W>
[[nodiscard]] constexpr std::size_t pooling_work(pool_windows<Size, S, P> layer, tensor<E, C, H, W> in) {
  return decltype(output_of(layer, in))::elements * Size * Size;
}

/// Where the maximum was is found again from input and output.
template <std::size_t Size, std::size_t S, std::size_t P, element E, std::size_t C, std::size_t H, std::size_t W>
[[nodiscard]] constexpr layer_facts facts(max_pool_t<Size, S, P> layer, tensor<E, C, H, W> in) {
  const std::size_t work = pooling_work(layer, in);
  return {.forward_work = work, .input_work = work, .inputs_need_input = true, .inputs_need_output = true};
}

template <std::size_t Size, std::size_t S, std::size_t P, element E, std::size_t C, std::size_t H, std::size_t W>
[[nodiscard]] constexpr layer_facts facts(average_pool_t<Size, S, P> layer, tensor<E, C, H, W> in) {
  const std::size_t work = pooling_work(layer, in);
  return {.forward_work = work, .input_work = work, .inputs_need_input = false};
}

}  // namespace ipuflow::nn
