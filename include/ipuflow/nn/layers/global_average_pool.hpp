// SPDX-License-Identifier: BSL-1.0
// The mean of each channel over its whole plane, a number a channel: what stands between the convolutions and the
// classifier of most networks, PyTorch's AdaptiveAvgPool2d(1) with a Flatten behind it. Planes may have any size.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <cstddef>

namespace ipuflow::nn {

struct global_average_pool_t {};
inline constexpr global_average_pool_t global_average_pool{};

template <real_element E, std::size_t C, std::size_t H, std::size_t W>
  requires(H * W > 0)
[[nodiscard]] constexpr tensor<E, C> output_of(global_average_pool_t, tensor<E, C, H, W>) {
  return {};
}

template <real_element E, std::size_t C, std::size_t H, std::size_t W>
[[nodiscard]] constexpr layer_facts facts(global_average_pool_t, tensor<E, C, H, W>) {
  return {.forward_work = C * H * W, .input_work = C * H * W, .inputs_need_input = false};
}

template <class T, std::size_t C, std::size_t H, std::size_t W>
void forward(global_average_pool_t, forward_pass<T, in<shape<C, H, W>>, out<shape<C>>> pass) {
  const auto [x] = pass.in;
  const auto [y] = pass.out;
  for (std::size_t channel = 0; channel < y.size(); ++channel) {
    lanes<T> total{};
    for (std::size_t i = 0; i < H * W; ++i) total += x[channel * H * W + i];
    y[channel] = number<T>(1.0 / (H * W)) * total;
  }
}

template <class T, std::size_t C, std::size_t H, std::size_t W>
void backward_inputs(global_average_pool_t, inputs_pass<T, in<shape<C, H, W>>, out<shape<C>>> pass) {
  const auto [d_y] = pass.d_out;
  const auto [d_x] = pass.d_in;
  for (std::size_t channel = 0; channel < d_y.size(); ++channel) {
    const lanes<T> share = number<T>(1.0 / (H * W)) * d_y[channel];
    for (std::size_t i = 0; i < H * W; ++i) d_x[channel * H * W + i] = share;
  }
}

}  // namespace ipuflow::nn
