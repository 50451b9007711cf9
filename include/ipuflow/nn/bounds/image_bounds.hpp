// SPDX-License-Identifier: BSL-1.0
// The bounds of the layers of images: convolutions, pooling, numbers that are joined to planes.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/ipu/bounds/conv_bound.hpp>
#include <ipuflow/ipu/bounds/weight_gradient_bound.hpp>
#include <ipuflow/nn/bounds/bound_parts.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/layers/global_average_pool.hpp>
#include <ipuflow/nn/layers/normalise.hpp>
#include <ipuflow/nn/layers/pool.hpp>
#include <ipuflow/nn/layers/squeeze_excite.hpp>
#include <ipuflow/nn/lowerings/conv2d_shape.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::nn {

namespace impl {

/// Planners count pieces roughly: where operands are small, many tiles have parts of each, and results come to theirs in as many [capped]. A partial
/// result takes code where it leaves, too.
constexpr std::uint64_t exchange_of_convolution(const ipu::operation_bound& b) { return exchange_of_pieces(3 * b.pieces + 16 + 2 * b.sums); }

}  // namespace impl

template <std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, bool B, class E, std::size_t C, std::size_t H, std::size_t W, class Y>
constexpr layer_bound bound_on_tiles(conv2d_t<F, K, S, P, G, B> layer, in<tensor<E, C, H, W>>, out<Y>, const bound_question& q) {
  ipu::conv_shape s = impl::image_conv_shape(layer, tensor<E, C, H, W>{}, impl::bound_precision<E>(q));
  s.batch = q.samples;
  constexpr ipu::element_type type = impl::bound_type<E>;
  const std::size_t weights = F * (C / G) * K * K, tiles = q.chip.tiles;
  const std::uint64_t picked = s.picks() ? q.spread(type, C * s.out_rows() * s.out_columns()) + 16 : 0;
  const std::uint64_t cast = impl::cast_weights(q, type, weights);
  const auto pass = [&](const ipu::operation_bound& b) {
    return pass_bound{b.temporary + picked + cast, impl::exchange_of_convolution(b), 7, 3 * state_of_vertex};
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

}  // namespace ipuflow::nn
