// SPDX-License-Identifier: BSL-1.0
// A linear layer on tiles: a matrix product for each pass, all by one cut if it fits. Weights are [output][input], so a pass that needs
// them the other way turns them round, and the gradient of weights turns both of its factors, as their sum is over samples.
#pragma once

#include <ipuflow/ipu/ops/matmul.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/lowerings/bias_lowering.hpp>

#include <cstddef>

namespace ipuflow::nn {

namespace impl {

struct linear_shape {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  bool biased = true;
  ipu::amp_precision type = ipu::amp_precision::float_float;
};

template <class X, std::size_t O, bool B>
constexpr linear_shape linear_shape_of(linear_layer<O, B>, const ipu::plan_options& where = {}) {
  return {row_shape<X>::elements, O, B, ipu::summed_as(precision_of<typename X::element_type>, where)};
}

/// A pass of a product by the layer's cut.
template <class = void>
inline ipu::step cut_product(const lowering& l, ipu::product_pass pass, const ipu::matrix_order& x, const ipu::matrix_order& y,
                             ipu::variable_id a, ipu::variable_id b, ipu::variable_id out) {
  const ipu::planned_product p = l.numbers.cut.of(pass, x.is_plain(), y.is_plain());
  return ipu::matmul(l.g, p.shape, p.plan, a, b, out, l.where.first_tile, p.orders);
}

template <class = void>
inline ipu::step linear_forward(const lowering& l, const linear_shape& s, const on_tiles& x, const on_tiles& y) {
  const ipu::arranged weights = l.as(l.numbers.weights, ipu::operand_type(s.type));
  const ipu::matmul_shape product{l.samples, s.inputs, s.outputs, s.type, false, !l.numbers.by_columns};
  return ipu::sequence(weights.bring,
                       l.numbers.cut.fits() ? cut_product(l, ipu::product_pass::forward, x.order, y.order, x, weights.variable, y)
                                            : ipu::matmul(l.g, product, x, weights.variable, y, l.where),
                       s.biased ? add_bias(l, y, 1, y.order) : ipu::step{});
}

template <class = void>
inline ipu::step linear_backward_inputs(const lowering& l, const linear_shape& s, const on_tiles& d_y, const on_tiles& d_x) {
  const ipu::arranged weights = l.as(l.numbers.weights, ipu::operand_type(s.type));
  const ipu::matmul_shape product{l.samples, s.outputs, s.inputs, s.type, false, l.numbers.by_columns};
  return ipu::sequence(weights.bring,
                       l.numbers.cut.fits() ? cut_product(l, ipu::product_pass::to_inputs, d_x.order, d_y.order, d_y, weights.variable, d_x)
                                            : ipu::matmul(l.g, product, d_y, weights.variable, d_x, l.where));
}

template <class = void>
inline ipu::step linear_backward_weights(const lowering& l, const linear_shape& s, const on_tiles& x, const on_tiles& d_y) {
  const ipu::variable_id more = l.more_of(l.numbers.weights);
  const bool turned = l.numbers.by_columns;
  const ipu::matmul_shape product{turned ? s.inputs : s.outputs, l.samples, turned ? s.outputs : s.inputs, s.type, true, false};
  return ipu::sequence(l.numbers.cut.fits() ? cut_product(l, ipu::product_pass::to_weights, x.order, d_y.order, d_y, x, more)
                                            : ipu::matmul(l.g, product, turned ? x : d_y, turned ? d_y : x, more, l.where),
                       l.add_to(l.numbers.d_weights, more), s.biased ? add_bias_gradient(l, d_y, 1, d_y.order) : ipu::step{});
}

}  // namespace impl

template <std::size_t O, bool B>
constexpr void reads_by_columns(impl::linear_layer<O, B>) {}

template <std::size_t O, bool B, class X, class Y>
constexpr panel_use panels_on_tiles(impl::linear_layer<O, B> layer, const forward_lowering<in<X>, out<Y>>*) {
  const impl::linear_shape s = impl::linear_shape_of<X>(layer);
  return {panel_use::way::multiplies, impl::rows_in<typename X::shape_type>::count, s.inputs, s.outputs, s.type};
}

template <std::size_t O, bool B, class X, class Y>
ipu::step lower_forward(impl::linear_layer<O, B> layer, const forward_lowering<in<X>, out<Y>>& l) {
  return impl::linear_forward(impl::of_rows<X>(l), impl::linear_shape_of<X>(layer, l.where), l.in[0], l.out[0]);
}

template <std::size_t O, bool B, class X, class Y>
ipu::step lower_backward_inputs(impl::linear_layer<O, B> layer, const inputs_lowering<in<X>, out<Y>>& l) {
  return impl::linear_backward_inputs(impl::of_rows<X>(l), impl::linear_shape_of<X>(layer, l.where), l.d_out[0], l.d_in[0]);
}

template <std::size_t O, bool B, class X, class Y>
ipu::step lower_backward_weights(impl::linear_layer<O, B> layer, const weights_lowering<in<X>, out<Y>>& l) {
  return impl::linear_backward_weights(impl::of_rows<X>(l), impl::linear_shape_of<X>(layer, l.where), l.in[0], l.d_out[0]);
}

}  // namespace ipuflow::nn
