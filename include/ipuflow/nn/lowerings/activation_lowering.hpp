// SPDX-License-Identifier: BSL-1.0
// Activations on tiles: each names the elementwise function that it is, and the gradient of that.
#pragma once

#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

namespace ipuflow::nn {

constexpr ipu::unary tile_function(relu_t) { return ipu::unary::relu; }
constexpr ipu::unary tile_function(sigmoid_t) { return ipu::unary::sigmoid; }
constexpr ipu::unary tile_function(tanh_t) { return ipu::unary::tanh; }
constexpr ipu::unary tile_function(gelu_t) { return ipu::unary::gelu; }

constexpr ipu::gradient tile_gradient(relu_t) { return ipu::gradient::relu; }
constexpr ipu::gradient tile_gradient(sigmoid_t) { return ipu::gradient::sigmoid; }
constexpr ipu::gradient tile_gradient(tanh_t) { return ipu::gradient::tanh; }
constexpr ipu::gradient tile_gradient(gelu_t) { return ipu::gradient::gelu; }

template <class Layer>
concept elementwise_on_tiles = requires(Layer layer) { tile_function(layer), tile_gradient(layer); };

template <elementwise_on_tiles Layer, class X>
ipu::step lower_forward(Layer layer, const forward_lowering<in<X>, out<X>>& l) {
  return ipu::apply(l.g, tile_function(layer), l.in[0], l.out[0]);
}

template <elementwise_on_tiles Layer, class X>
ipu::step lower_backward_inputs(Layer layer, const inputs_lowering<in<X>, out<X>>& l) {
  const auto [seen] = Layer::needs_input ? l.in : l.out;
  return ipu::apply(l.g, tile_gradient(layer), seen, l.d_out[0], l.d_in[0]);
}

}  // namespace ipuflow::nn
