// SPDX-License-Identifier: BSL-1.0
// The bounds of this library's layers: convolutions, products, pooling, activations, norms, losses and what only looks; those of sequences
// have their own header.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/ipu/bounds/conv_bound.hpp>
#include <ipuflow/ipu/bounds/weight_gradient_bound.hpp>
#include <ipuflow/nn/bounds/layer_bound.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/cast.hpp>
#include <ipuflow/nn/layers/checkpoint.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/layers/copy.hpp>
#include <ipuflow/nn/layers/dropout.hpp>
#include <ipuflow/nn/layers/flatten.hpp>
#include <ipuflow/nn/layers/global_average_pool.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/layers/normalise.hpp>
#include <ipuflow/nn/layers/pool.hpp>
#include <ipuflow/nn/layers/residual.hpp>
#include <ipuflow/nn/layers/squeeze_excite.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ipuflow::nn {

namespace impl {

template <class E>
inline constexpr ipu::element_type bound_type = std::is_same_v<E, half> ? ipu::element_type::f16 : ipu::element_type::f32;

template <class E>
constexpr ipu::amp_precision bound_precision(const bound_question& q) {
  if (!std::is_same_v<E, half>) return ipu::amp_precision::float_float;
  return q.half_partials ? ipu::amp_precision::half_half : ipu::amp_precision::half_float;
}

/// A name of its own for the code of each kind of layer.
template <class Layer>
inline constexpr type_text code_name = type_name<Layer>();

/// A gradient of `parameters` numbers that is added up: floats where the tensor is, and what reads them.
constexpr pass_bound added_up(const bound_question& q, std::size_t parameters) {
  const std::uint64_t more = ipu::spread_bound(ipu::element_type::f32, parameters, q.chip.tiles);
  return {more, exchange_of_copy, 3, state_of_vertex};
}

/// Weights in the type that the layer computes with.
constexpr std::uint64_t cast_weights(const bound_question& q, ipu::element_type type, std::size_t count) {
  return q.parameters == type ? 0 : ipu::spread_bound(type, count, q.chip.tiles, vector_width(q.parameters));
}

/// The sum over planes, and then over samples.
constexpr pass_bound bias_gradient(const bound_question& q, ipu::element_type type, std::size_t channels, std::size_t plane) {
  pass_bound made;
  const std::size_t results = q.samples * channels, each = ipu::divided_up(results, q.chip.tiles);
  if (plane > 1) {
    const std::size_t parts = algorithms::max<std::size_t>(1, algorithms::min(q.chip.tiles / algorithms::min(results, q.chip.tiles), plane / 16));
    const std::size_t deep = ipu::divided_up(plane, parts) * each;
    made.then({deep * size_of(type) + each * 8, 8 * deep * size_of(type) / 64 + 3 * exchange_of_copy, 4, 2 * state_of_vertex});
  }
  const std::size_t parts = algorithms::max<std::size_t>(1, algorithms::min(q.chip.tiles / algorithms::min(channels, q.chip.tiles), q.samples / 16));
  const std::size_t deep = ipu::divided_up(q.samples, parts) * ipu::divided_up(channels, q.chip.tiles);
  const std::size_t size = plane > 1 ? 4 : size_of(type);
  made.then({deep * size + 16, 8 * algorithms::min<std::size_t>(deep, 130) + 3 * exchange_of_copy, 4, 2 * state_of_vertex});
  made.temporary += q.spread(ipu::element_type::f32, channels);
  return made;
}

/// The numbers of the channels that a tile has places of.
constexpr pass_bound bias(const bound_question& q, ipu::element_type type, std::size_t channels, std::size_t plane) {
  const std::size_t places = q.spread(type, channels * plane) / size_of(type);
  const std::size_t runs = algorithms::min(places, places / plane + 2);
  return {runs * size_of(type) + cast_weights(q, type, channels), 8 * (runs / channels + 2) + 2 * exchange_of_copy, 4, state_of_vertex};
}

/// A convolution's pieces: a receive takes 4 or 8 bytes of code, 6 in the middle, and most streams begin with one.
constexpr std::uint64_t exchange_of_pieces(std::uint64_t pieces) { return 6 * pieces + exchange_of_copy; }

}  // namespace impl

template <std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, bool B, class E, std::size_t C, std::size_t H, std::size_t W, class Y>
constexpr layer_bound bound_on_tiles(conv2d_t<F, K, S, P, G, B>, in<tensor<E, C, H, W>>, out<Y>, const bound_question& q) {
  const ipu::conv_shape s{.batch = q.samples,
                          .in_channels = C,
                          .rows = H,
                          .columns = W,
                          .out_channels = F,
                          .kernel_rows = K,
                          .kernel_columns = K,
                          .stride = S,
                          .padding = P,
                          .groups = G,
                          .type = impl::bound_precision<E>(q)};
  constexpr ipu::element_type type = impl::bound_type<E>;
  const std::size_t weights = F * (C / G) * K * K, tiles = q.chip.tiles;
  const std::uint64_t picked = s.picks() ? q.spread(type, C * s.out_rows() * s.out_columns()) + 16 : 0;
  const std::uint64_t cast = impl::cast_weights(q, type, weights);
  const auto pass = [&](const ipu::operation_bound& b) {
    return pass_bound{b.temporary + picked + cast, impl::exchange_of_pieces(b.pieces), 7, 3 * state_of_vertex};
  };
  layer_bound made;
  made.forward = pass(ipu::convolution_bound(q.chip, s, q.samples, s.out_rows(), F / G, tiles, q.memory()));
  if (q.computes_inputs) made.to_inputs = pass(ipu::convolution_bound(q.chip, s.turned(), q.samples, H, C / G, tiles, q.memory()));
  made.to_weights = pass(ipu::weight_gradient_bound(q.chip, s, tiles, q.memory()));
  made.to_weights.temporary += ipu::spread_bound(ipu::element_type::f32, weights, tiles, vector_width(q.parameters));
  if (B) made.forward.then(impl::bias(q, type, F, s.out_rows() * s.out_columns()));
  if (B) made.to_weights.then(impl::bias_gradient(q, type, F, s.out_rows() * s.out_columns())).then(impl::added_up(q, F));
  made.code = {{{"convolution", 1612}, {"convolution of weights", 1612}, {"reduce", 256}, {"add bias", 256}, {"scaled add", 256}, {"cast", 256}, {"pick", 256}, {"put back", 256}}, S > 1 && K == 1 ? 8u : 6u};
  made.picked_together = s.picked_together();
  return made;
}

template <std::size_t O, bool B, class X, class Y>
constexpr layer_bound bound_on_tiles(impl::linear_layer<O, B>, in<X>, out<Y>, const bound_question& q) {
  using element = typename X::element_type;
  constexpr std::size_t rows = impl::rows_in<typename X::shape_type>::count, inputs = X::elements / rows;
  constexpr ipu::element_type type = impl::bound_type<element>;
  layer_bound made;
  made.product = {rows, inputs, O, impl::bound_precision<element>(q)};
  const std::uint64_t cast = impl::cast_weights(q, type, inputs * O);
  made.forward = made.to_inputs = made.to_weights = {cast, 3 * impl::exchange_of_copy, 6, 2 * state_of_vertex};
  bound_question of_rows = q;
  of_rows.samples *= rows;
  if (B) made.forward.then(impl::bias(of_rows, type, O, 1));
  if (B) made.to_weights.then(impl::bias_gradient(of_rows, type, O, 1)).then(impl::added_up(q, O));
  made.code = {{{"matmul", 1612}, {"reduce", 256}, {"add bias", 256}, {"column sums", 256}, {"scaled add", 256}, {"cast", 256}}, 6};
  return made;
}

namespace impl {

/// Planes whole on a tile.
template <std::size_t K, std::size_t S, std::size_t P, class E, std::size_t C, std::size_t H, std::size_t W, class Y>
constexpr layer_bound bound_of_pool(pool_windows<K, S, P>, tensor<E, C, H, W>, Y, const bound_question& q, bool reads_input) {
  const std::uint64_t read = q.rows(q.samples * C, H * W * sizeof(E)), made = q.rows(q.samples * C, Y::elements / C * sizeof(E));
  layer_bound b;
  b.forward = brought(read + made, 2);
  b.to_inputs = brought((reads_input ? 2 : 1) * read + made, 3);
  b.code = {{{"pool", 256}, {"pool gradient", 256}}, 2};
  return b;
}

}  // namespace impl

template <std::size_t K, std::size_t S, std::size_t P, class X, class Y>
constexpr layer_bound bound_on_tiles(max_pool_t<K, S, P> layer, in<X>, out<Y>, const bound_question& q) {
  return impl::bound_of_pool(layer, X{}, Y{}, q, true);
}
template <std::size_t K, std::size_t S, std::size_t P, class X, class Y>
constexpr layer_bound bound_on_tiles(average_pool_t<K, S, P> layer, in<X>, out<Y>, const bound_question& q) {
  return impl::bound_of_pool(layer, X{}, Y{}, q, false);
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

template <channels Mean, channels Deviation, class X, class Y>
constexpr layer_bound bound_on_tiles(normalise_t<Mean, Deviation>, in<X>, out<Y>, const bound_question& q) {
  layer_bound b;
  b.forward = b.to_inputs = impl::brought(q.spread(impl::bound_type<typename Y::element_type>, Y::elements), 2);
  b.code = {{{"normalise", 256}}, 1};
  return b;
}

namespace impl {

/// Numbers that are joined to planes of channels, which stay where they are or are brought whole to a tile [capped].
template <class X>
constexpr pass_bound bound_of_planes(const bound_question& q, std::uint64_t values) {
  constexpr std::size_t channels = X::extent(0), size = sizeof(typename X::element_type);
  const std::uint64_t value = algorithms::max(q.spread(bound_type<typename X::element_type>, X::elements), q.rows(q.samples * channels, X::elements / channels * size));
  const std::uint64_t planes = value / (X::elements / channels * size) + 2;
  return {values * value + 32 * planes + q.spread(ipu::element_type::f32, channels), 8 * exchange_of_copy, 12, 6 * state_of_vertex};
}

}  // namespace impl

template <class X, class Y>
constexpr layer_bound bound_on_tiles(global_average_pool_t, in<X>, out<Y>, const bound_question& q) {
  layer_bound b;
  b.forward = b.to_inputs = impl::bound_of_planes<X>(q, 1);
  b.code = {{{"row partials", 256}, {"row totals", 256}, {"filled planes", 256}, {"cast", 256}}, 4};
  return b;
}
template <class S, class X>
constexpr layer_bound bound_on_tiles(scale_channels_t, in<S, X>, out<X>, const bound_question& q) {
  layer_bound b;
  b.forward = impl::bound_of_planes<X>(q, 2), b.to_inputs = impl::bound_of_planes<X>(q, 3);
  b.to_inputs.then(impl::bound_of_planes<X>(q, 2));
  b.code = {{{"row partials", 256}, {"row totals", 256}, {"row products", 256}, {"mul", 256}, {"cast", 256}}, 5};
  return b;
}

template <class X, class Loss>
constexpr layer_bound bound_on_tiles(mean_squared_error_t, in<X, X>, out<X, Loss>, const bound_question& q) {
  const std::uint64_t x = q.rows(q.samples, X::elements * sizeof(typename X::element_type)), one = q.rows(q.samples, 4);
  layer_bound b;
  b.forward = impl::brought(2 * x + one, 3);
  b.to_inputs = impl::brought(3 * x + one, 4).then(impl::brought(3 * x + one, 4));
  b.code = {{{"squared error", 256}, {"squared error gradient", 256}}, 2};
  b.in_rows = true;
  return b;
}

}  // namespace ipuflow::nn
