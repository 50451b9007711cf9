// SPDX-License-Identifier: BSL-1.0
// Activations on tiles: each names the elementwise function that it is, and the gradient of that. Another activation gives
// rows of its own for both.
#pragma once

#include <ipuflow/ipu/ops/functions.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

namespace ipuflow::nn {

constexpr const ipu::unary& tile_function(relu_t) { return ipu::unary::relu; }
constexpr const ipu::unary& tile_function(sigmoid_t) { return ipu::unary::sigmoid; }
constexpr const ipu::unary& tile_function(tanh_t) { return ipu::unary::tanh; }
constexpr const ipu::unary& tile_function(gelu_t) { return ipu::unary::gelu; }

constexpr const ipu::gradient& tile_gradient(relu_t) { return ipu::gradient::relu; }
constexpr const ipu::gradient& tile_gradient(sigmoid_t) { return ipu::gradient::sigmoid; }
constexpr const ipu::gradient& tile_gradient(tanh_t) { return ipu::gradient::tanh; }
constexpr const ipu::gradient& tile_gradient(gelu_t) { return ipu::gradient::gelu; }

template <class Layer>
concept elementwise_on_tiles = requires(Layer layer) { tile_function(layer), tile_gradient(layer); };

template <elementwise_on_tiles Layer, class E, class Shape>
ipu::step lower_forward(Layer layer, const lowering& l, on_tiles<E, Shape> x, on_tiles<E, Shape> y) {
  return ipu::apply(l.g, tile_function(layer), x.variable, y.variable);
}

template <elementwise_on_tiles Layer, class E, class Shape>
ipu::step lower_backward_inputs(Layer layer, const lowering& l, on_tiles<E, Shape> x, on_tiles<E, Shape> y,
                                on_tiles<E, Shape> d_y, on_tiles<E, Shape> d_x) {
  static_assert(tile_gradient(Layer{}).of_input == Layer::needs_input);
  const ipu::variable_id seen = Layer::needs_input ? x.variable : y.variable;
  return ipu::apply(l.g, tile_gradient(layer), seen, d_y.variable, d_x.variable);
}

}  // namespace ipuflow::nn
