// SPDX-License-Identifier: BSL-1.0
// A convolution on tiles: the operation that `ipu` has for each pass, and a bias for each filter if it has biases.
#pragma once

#include <ipuflow/ipu/ops/convolution.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/lowerings/bias_lowering.hpp>
#include <ipuflow/nn/lowerings/conv2d_shape.hpp>

#include <cstddef>

namespace ipuflow::nn {

namespace impl {

template <class Layer, class X>
constexpr ipu::conv_shape tile_conv_shape(Layer layer, X image, const lowering& l) {
  ipu::conv_shape s = image_conv_shape(layer, image, ipu::summed_as(precision_of<typename X::element_type>, l.where));
  s.batch = l.samples;
  return s;
}

template <class = void>
inline ipu::step conv2d_forward(const lowering& l, const ipu::conv_shape& s, ipu::variable_id x, ipu::variable_id y) {
  const ipu::arranged weights = l.as(l.numbers.weights, ipu::operand_type(s.type));
  return ipu::sequence(weights.bring, ipu::convolution(l.g, s, x, weights.variable, y, l.where));
}

template <class = void>
inline ipu::step conv2d_backward_inputs(const lowering& l, const ipu::conv_shape& s, ipu::variable_id d_y,
                                        ipu::variable_id d_x) {
  const ipu::arranged weights = l.as(l.numbers.weights, ipu::operand_type(s.type));
  return ipu::sequence(weights.bring, ipu::convolution_of_input_gradient(l.g, s, d_y, weights.variable, d_x, l.where));
}

template <class = void>
inline ipu::step conv2d_backward_weights(const lowering& l, const ipu::conv_shape& s, ipu::variable_id x,
                                         ipu::variable_id d_y) {
  const ipu::variable_id more = l.more_of(l.numbers.weights);
  return ipu::sequence(ipu::convolution_of_weight_gradient(l.g, s, x, d_y, more, l.where),
                       l.add_to(l.numbers.d_weights, more));
}

}  // namespace impl

/// Its values stand row after row, with whole picks on a tile.
template <std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, bool B, class X, class Y>
constexpr panel_use panels_on_tiles(conv2d_t<F, K, S, P, G, B> layer, const forward_lowering<in<X>, out<Y>>*) {
  return {.together = impl::image_conv_shape(layer, X{}, impl::precision_of<typename X::element_type>).picked_together()};
}

template <std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, bool B, class X, class Y>
ipu::step lower_forward(conv2d_t<F, K, S, P, G, B> layer, const forward_lowering<in<X>, out<Y>>& l) {
  const ipu::conv_shape s = impl::tile_conv_shape(layer, X{}, l);
  ipu::step program = impl::conv2d_forward(l, s, l.in[0], l.out[0]);
  if constexpr (B) program.then(impl::add_bias(l, l.out[0], s.out_rows() * s.out_columns()));
  return program;
}

template <std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, bool B, class X, class Y>
ipu::step lower_backward_inputs(conv2d_t<F, K, S, P, G, B> layer, const inputs_lowering<in<X>, out<Y>>& l) {
  return impl::conv2d_backward_inputs(l, impl::tile_conv_shape(layer, X{}, l), l.d_out[0], l.d_in[0]);
}

template <std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, bool B, class X, class Y>
ipu::step lower_backward_weights(conv2d_t<F, K, S, P, G, B> layer, const weights_lowering<in<X>, out<Y>>& l) {
  const ipu::conv_shape s = impl::tile_conv_shape(layer, X{}, l);
  ipu::step program = impl::conv2d_backward_weights(l, s, l.in[0], l.d_out[0]);
  if constexpr (B) program.then(impl::add_bias_gradient(l, l.d_out[0], s.out_rows() * s.out_columns()));
  return program;
}

}  // namespace ipuflow::nn
