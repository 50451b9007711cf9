// SPDX-License-Identifier: BSL-1.0
// A two-dimensional convolution over channels x height x width, with a bias for each filter: every output pixel sees a
// square of the input, `Stride` apart, the input being surrounded by `Padding` zeros. Filters and channels may be split
// into groups that do not see each other. Parameters: weights [filter][channel of the group][row][column], then biases.
#pragma once

#include <ipuflow/core/shape.hpp>
#include <ipuflow/nn/batch.hpp>

#include <cstddef>

namespace ipuflow::nn {

template <std::size_t Filters, std::size_t Kernel, std::size_t Stride, std::size_t Padding, std::size_t Groups>
struct conv2d_t {};

template <std::size_t Filters, std::size_t Kernel, std::size_t Stride = 1, std::size_t Padding = 0,
          std::size_t Groups = 1>
  requires(Filters > 0 && Kernel > 0 && Stride > 0 && Groups > 0)
inline constexpr conv2d_t<Filters, Kernel, Stride, Padding, Groups> conv2d{};

template <std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, element E, std::size_t C,
          std::size_t H, std::size_t W>
  requires(H + 2 * P >= K && W + 2 * P >= K && C % G == 0 && F % G == 0)
[[nodiscard]] constexpr tensor<E, F, (H + 2 * P - K) / S + 1, (W + 2 * P - K) / S + 1> output_of(conv2d_t<F, K, S, P, G>,
                                                                                                 tensor<E, C, H, W>) {
  return {};
}

/// Work counts the taps that fall into the padding too.
template <std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, element E, std::size_t C,
          std::size_t H, std::size_t W>
[[nodiscard]] constexpr layer_facts facts(conv2d_t<F, K, S, P, G> layer, tensor<E, C, H, W> in) {
  const std::size_t weights = F * (C / G) * K * K;
  const std::size_t work = decltype(output_of(layer, in))::elements * (C / G) * K * K;
  return {.parameters = weights + F,
          .biases = F,
          .forward_work = work,
          .input_work = work,
          .weight_work = work,
          .inputs_need_input = false};
}

}  // namespace ipuflow::nn
