// SPDX-License-Identifier: BSL-1.0
// Squeeze and excitation (Hu et al. 2018): the means of the channels say, through two linear layers, how much of each
// channel goes on. It is made of layers, of which the last, the scaling of channels, is here. Parameters are in
// torchvision's order: weights and biases of the first linear layer, then of the second.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/graph/ops.hpp>
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/global_average_pool.hpp>
#include <ipuflow/nn/layers/linear.hpp>

#include <cstddef>

namespace ipuflow::nn {

/// Multiplies each channel by a number of its own; the numbers come first: `use<"features">(nn::scale_channels)`.
struct scale_channels_t {};
inline constexpr scale_channels_t scale_channels{};

template <real_element E, std::size_t C, std::size_t H, std::size_t W>
[[nodiscard]] constexpr tensor<E, C, H, W> output_of(scale_channels_t, tensor<E, C>, tensor<E, C, H, W>) {
  return {};
}

template <real_element E, std::size_t C, std::size_t H, std::size_t W>
[[nodiscard]] constexpr layer_facts facts(scale_channels_t, tensor<E, C>, tensor<E, C, H, W>) {
  return {.forward_work = C * H * W, .input_work = 2 * C * H * W};
}

template <class T, std::size_t C, std::size_t H, std::size_t W>
void forward(scale_channels_t, forward_pass<T, in<shape<C>, shape<C, H, W>>, out<shape<C, H, W>>> pass) {
  const auto [factors, x] = pass.in;
  const auto [y] = pass.out;
  for (std::size_t channel = 0; channel < factors.size(); ++channel) {
    const lanes<T> factor = factors[channel];
    for (std::size_t i = channel * H * W; i < (channel + 1) * H * W; ++i) y[i] = factor * x[i];
  }
}

/// Either gradient may be unwanted.
template <class T, std::size_t C, std::size_t H, std::size_t W>
void backward_inputs(scale_channels_t, inputs_pass<T, in<shape<C>, shape<C, H, W>>, out<shape<C, H, W>>> pass) {
  const auto [factors, x] = pass.in;
  const auto [d_y] = pass.d_out;
  const auto [d_factors, d_x] = pass.d_in;
  for (std::size_t channel = 0; channel < factors.size(); ++channel) {
    const std::size_t first = channel * H * W;
    if (d_factors.wanted()) {
      lanes<T> total{};
      for (std::size_t i = first; i < first + H * W; ++i) total += d_y[i] * x[i];
      d_factors[channel] = total;
    }
    const lanes<T> factor = factors[channel];
    for (std::size_t i = first; d_x.wanted() && i < first + H * W; ++i) d_x[i] = factor * d_y[i];
  }
}

/// Squeeze and excitation of `Channels` channels through `Hidden` numbers, as ops of a block; the channels wait under `Name`:
/// `block<"B2">(nn::conv2d<96, 3>, nn::squeeze_excite<"B2 channels", 96, 4>())`. The activations are those of EfficientNet;
/// others take `nn::relu` as the inner one.
template <fixed_string Name, std::size_t Channels, std::size_t Hidden, class Inner = swish_t, class Gate = sigmoid_t>
[[nodiscard]] constexpr auto squeeze_excite(Inner inner = {}, Gate gate = {}) {
  return ops(keep<Name>, global_average_pool, linear<Hidden>, inner, linear<Channels>, gate, use<Name>(scale_channels));
}

}  // namespace ipuflow::nn
