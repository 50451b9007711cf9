// SPDX-License-Identifier: BSL-1.0
// The convolution that a layer is for one image, by which it is lowered and bounded.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/ipu/ops/conv_shape.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>

#include <cstddef>

namespace ipuflow::nn::impl {

template <std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, bool B, class E, std::size_t C, std::size_t H, std::size_t W>
constexpr ipu::conv_shape image_conv_shape(conv2d_t<F, K, S, P, G, B>, tensor<E, C, H, W>, ipu::amp_precision type) {
  return {.in_channels = C,
          .rows = H,
          .columns = W,
          .out_channels = F,
          .kernel_rows = K,
          .kernel_columns = K,
          .stride = S,
          .padding = P,
          .groups = G,
          .type = type};
}

}  // namespace ipuflow::nn::impl
