// SPDX-License-Identifier: BSL-1.0
// The bounds of layers of any values: products, activations, norms, sums, losses, dropout and what only looks.
#pragma once

#include <ipuflow/ipu/bounds/matmul_bound.hpp>
#include <ipuflow/nn/bounds/bound_parts.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/cast.hpp>
#include <ipuflow/nn/layers/checkpoint.hpp>
#include <ipuflow/nn/layers/copy.hpp>
#include <ipuflow/nn/layers/dropout.hpp>
#include <ipuflow/nn/layers/flatten.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/layers/residual.hpp>
#include <ipuflow/nn/layers/sequence_loss.hpp>
#include <ipuflow/nn/layers/tied.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ipuflow::nn {

namespace impl {

/// A product that is planned alone, not cut with those of its stage, as its weights stand where several layers read them.
constexpr pass_bound product_alone(const bound_question& q, const ipu::matmul_shape& s) {
  const ipu::operation_bound b = ipu::matmul_bound(q.chip, s, q.chip.tiles, q.memory());
  return {b.temporary, exchange_of_pieces(b.pieces) + exchange_of_pieces(b.sums), 8, 4 * state_of_vertex};
}

}  // namespace impl

template <std::size_t O, bool B, class X, class Y>
constexpr layer_bound bound_on_tiles(impl::linear_layer<O, B>, in<X>, out<Y>, const bound_question& q) {
  using element = typename X::element_type;
  constexpr std::size_t rows = impl::rows_in<typename X::shape_type>::count, inputs = X::elements / rows;
  constexpr ipu::element_type type = impl::bound_type<element>;
  layer_bound made;
  const std::uint64_t cast = impl::cast_weights(q, type, inputs * O);
  made.forward = made.to_inputs = made.to_weights = {cast, 3 * impl::exchange_of_copy, 6, 2 * state_of_vertex};
  const ipu::product_sizes sizes{rows, inputs, O, impl::bound_precision<element>(q)};
  if (q.shared) {
    const std::size_t all = q.samples * rows;
    const auto multiply = [&](pass_bound& to, const ipu::matmul_shape& s) {
      const pass_bound alone = impl::product_alone(q, s);
      to.temporary += alone.temporary, to.exchange += alone.exchange, to.steps += alone.steps, to.state += alone.state;
    };
    multiply(made.forward, {all, inputs, O, sizes.type, false, !q.by_columns});
    multiply(made.to_inputs, {all, O, inputs, sizes.type, false, q.by_columns});
    multiply(made.to_weights, {q.by_columns ? inputs : O, all, q.by_columns ? O : inputs, sizes.type, true, false});
    made.to_weights.temporary += ipu::spread_bound(ipu::element_type::f32, inputs * O, q.chip.tiles);
    made.in_rows = true;
  } else {
    made.product = sizes;
  }
  bound_question of_rows = q;
  of_rows.samples *= rows;
  if (B) made.forward.then(impl::bias(of_rows, type, O, 1));
  if (B) made.to_weights.then(impl::bias_gradient(of_rows, type, O, 1)).then(impl::added_up(q, O));
  made.code = {{{"matmul", 1612}, {"reduce", 256}, {"add bias", 256}, {"column sums", 256}, {"scaled add", 256}, {"cast", 256}}, 6};
  return made;
}

template <fixed_string Table, class Layer, class In, class Out>
  requires impl::bounded_layer<Layer, In, Out>
constexpr layer_bound bound_on_tiles(tied_t<Table, Layer>, In in, Out out, const bound_question& q) {
  return bound_on_tiles(Layer{}, in, out, q);
}

template <impl::activation_layer Layer, class X>
constexpr layer_bound bound_on_tiles(Layer, in<X>, out<X>, const bound_question& q) {
  const std::uint64_t value = q.spread(impl::bound_type<typename X::element_type>, X::elements);
  layer_bound b;
  b.forward = impl::brought(value, 1);
  b.to_inputs = impl::brought(2 * value, 2);
  b.code = {{{impl::code_name<Layer>.view(), 256}, {"gradient", 256}}, 2};
  return b;
}

template <class X, class Y>
constexpr layer_bound bound_on_tiles(flatten_t, in<X>, out<Y>, const bound_question&) {
  return {};
}

template <class X>
constexpr layer_bound bound_on_tiles(copy_t, in<X>, out<X>, const bound_question&) {
  layer_bound b;
  b.forward = b.to_inputs = impl::brought(0, 1);
  return b;
}

template <class X>
constexpr layer_bound bound_on_tiles(add_t, in<X, X>, out<X>, const bound_question& q) {
  layer_bound b;
  b.forward = impl::brought(2 * q.spread(impl::bound_type<typename X::element_type>, X::elements), 2);
  b.to_inputs = impl::brought(q.spread(impl::bound_type<typename X::element_type>, X::elements), 2);
  b.code = {{{"add", 256}, {"scaled add", 256}}, 2};
  return b;
}

template <impl::classifies Layer, class X, class Label, class Y, class Loss>
constexpr layer_bound bound_on_tiles(Layer, in<X, Label>, out<Y, Loss>, const bound_question& q) {
  constexpr std::size_t rows = impl::rows_in<typename X::shape_type>::count;
  const std::uint64_t x = q.rows(q.samples * rows, X::elements / rows * sizeof(typename X::element_type));
  const std::uint64_t one = q.rows(q.samples * rows, 4);
  layer_bound b;
  b.forward = impl::brought(x + 2 * one, 3);
  b.to_inputs = impl::brought(2 * x + 2 * one, 4);
  b.code = {{{"cross-entropy", 1536}, {"cross-entropy gradient", 1536}}, 2};
  b.in_rows = true;
  return b;
}

namespace impl {

/// A norm brings its values to where whole rows, or parts of them, stand, and numbers of rows go to and fro [capped].
template <class X>
constexpr layer_bound bound_of_norm(const bound_question& q, std::size_t rows) {
  const std::uint64_t value = q.spread(bound_type<typename X::element_type>, X::elements);
  layer_bound b;
  b.forward = {5 * value + 512, 10 * exchange_of_copy, 20, 10 * state_of_vertex};
  b.to_inputs = {8 * value + 1024, 16 * exchange_of_copy, 32, 16 * state_of_vertex};
  b.to_weights = {6 * value + 1024, 14 * exchange_of_copy, 26, 12 * state_of_vertex};
  b.notes = q.rows(rows, 8);
  b.code = {{{"norm", 5888}, {"reduce", 256}, {"scaled add", 256}, {"cast", 256}}, 4};
  return b;
}

}  // namespace impl

template <class X>
constexpr layer_bound bound_on_tiles(layer_norm_t, in<X>, out<X>, const bound_question& q) {
  return impl::bound_of_norm<X>(q, q.samples * impl::rows_in<typename X::shape_type>::count);
}
template <std::size_t Groups, class X>
constexpr layer_bound bound_on_tiles(group_norm_t<Groups>, in<X>, out<X>, const bound_question& q) {
  return impl::bound_of_norm<X>(q, q.samples * Groups);
}
template <class X>
constexpr layer_bound bound_on_tiles(batch_norm_t, in<X>, out<X>, const bound_question& q) {
  return impl::bound_of_norm<X>(q, facts(batch_norm, X{}).biases);
}

template <impl::drops Layer, class X>
constexpr layer_bound bound_on_tiles(Layer, in<X>, out<X>, const bound_question& q) {
  const std::uint64_t value = q.spread(impl::bound_type<typename X::element_type>, X::elements);
  layer_bound b;
  b.forward = b.to_inputs = impl::brought(value + 4, 3);
  b.code = {{{"dropout", 256}}, 1};
  return b;
}

template <real_element To, class X, class Y>
constexpr layer_bound bound_on_tiles(cast_t<To>, in<X>, out<Y>, const bound_question&) {
  layer_bound b;
  if (std::is_same_v<typename X::element_type, typename Y::element_type>) return b;
  b.forward = b.to_inputs = impl::brought(0, 1);
  b.code = {{{"cast", 256}}, 1};
  return b;
}

template <class X>
constexpr layer_bound bound_on_tiles(checkpoint_t, in<X>, out<X>, const bound_question&) {
  return {};
}

template <class X, class Loss>
constexpr layer_bound bound_on_tiles(mean_squared_error_t, in<X, X>, out<X, Loss>, const bound_question& q) {
  const std::uint64_t x = q.rows(q.samples, X::elements * sizeof(typename X::element_type)), one = q.rows(q.samples, 4);
  layer_bound b;
  b.forward = impl::brought(2 * x + one, 3);
  b.to_inputs = impl::brought(3 * x + one, 4).then(impl::brought(3 * x + one, 4));
  const std::uint64_t part = q.spread(impl::bound_type<typename X::element_type>, X::elements);  // of a whole sample, as each tile has them
  const std::uint64_t pieces = ipu::divided_up(x, part) + ipu::divided_up(part, X::elements * sizeof(typename X::element_type)) + 2;
  b.forward.exchange += 2 * impl::exchange_of_pieces(pieces), b.to_inputs.exchange += 3 * impl::exchange_of_pieces(pieces);
  b.code = {{{"squared error", 256}, {"squared error gradient", 256}}, 2};
  b.in_rows = true;
  return b;
}

}  // namespace ipuflow::nn
