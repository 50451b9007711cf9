// SPDX-License-Identifier: BSL-1.0
// Pooling on tiles: planes, whole, shared out over them.
#pragma once

#include <ipuflow/ipu/ops/pooling.hpp>
#include <ipuflow/nn/layers/pool.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

#include <cstddef>

namespace ipuflow::nn {

namespace impl {

template <std::size_t K, std::size_t S, std::size_t P>
constexpr ipu::pooling tile_pooling(max_pool_t<K, S, P>) {
  return ipu::pooling::max;
}
template <std::size_t K, std::size_t S, std::size_t P>
constexpr ipu::pooling tile_pooling(average_pool_t<K, S, P>) {
  return ipu::pooling::mean;
}

template <std::size_t K, std::size_t S, std::size_t P, std::size_t C, std::size_t H, std::size_t W>
constexpr ipu::pool_shape tile_pool_shape(pool_windows<K, S, P>, shape<C, H, W>, std::size_t samples) {
  return {samples * C, H, W, K, S, P};
}

template <class Layer>
concept pools_on_tiles = requires(Layer layer) { tile_pooling(layer); };

}  // namespace impl

template <impl::pools_on_tiles Layer, class X, class Y>
ipu::step lower_forward(Layer layer, const forward_lowering<in<X>, out<Y>>& l) {
  return ipu::pool(l.g, impl::tile_pooling(layer), impl::tile_pool_shape(layer, X{}, l.samples), l.in[0], l.out[0], l.where);
}

/// The mean does not look at its input, so that need not be there: only its size is asked for.
template <impl::pools_on_tiles Layer, class X, class Y>
ipu::step lower_backward_inputs(Layer layer, const inputs_lowering<in<X>, out<Y>>& l) {
  const ipu::pool_shape s = impl::tile_pool_shape(layer, X{}, l.samples);
  return ipu::pool_gradient(l.g, impl::tile_pooling(layer), s, l.in[0], l.d_out[0], l.d_in[0], l.where);
}

}  // namespace ipuflow::nn
