// SPDX-License-Identifier: BSL-1.0
// Activations on tiles. Each of the vendor's names the elementwise function that it is, and the gradient of that: their
// cost is known. Any other is computed from its own value and slope, for as many operations as it says.
#pragma once

#include <ipuflow/ipu/ops/functions.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

#include <cstddef>
#include <span>

namespace ipuflow::nn {

namespace impl {

constexpr const ipu::unary& tile_function(relu_t) { return ipu::unary::relu; }
constexpr const ipu::unary& tile_function(sigmoid_t) { return ipu::unary::sigmoid; }
constexpr const ipu::unary& tile_function(tanh_t) { return ipu::unary::tanh; }
constexpr const ipu::unary& tile_function(gelu_t) { return ipu::unary::gelu; }
constexpr const ipu::unary& tile_function(swish_t) { return ipu::unary::swish; }

constexpr const ipu::gradient& tile_gradient(relu_t) { return ipu::gradient::relu; }
constexpr const ipu::gradient& tile_gradient(sigmoid_t) { return ipu::gradient::sigmoid; }
constexpr const ipu::gradient& tile_gradient(tanh_t) { return ipu::gradient::tanh; }
constexpr const ipu::gradient& tile_gradient(gelu_t) { return ipu::gradient::gelu; }
constexpr const ipu::gradient& tile_gradient(swish_t) { return ipu::gradient::swish; }

template <class Layer>
concept elementwise_on_tiles = requires(Layer layer) { tile_function(layer), tile_gradient(layer); };

}  // namespace impl

template <impl::elementwise_on_tiles Layer, class X>
constexpr panel_use panels_on_tiles(Layer, const forward_lowering<in<X>, out<X>>*) {
  return impl::takes_panels<X, X>();
}

template <impl::elementwise_on_tiles Layer, class X>
ipu::step lower_forward(Layer layer, const forward_lowering<in<X>, out<X>>& l) {
  return ipu::apply(l.g, impl::tile_function(layer), l.in[0], l.out[0]);
}

template <impl::elementwise_on_tiles Layer, class X>
ipu::step lower_backward_inputs(Layer layer, const inputs_lowering<in<X>, out<X>>& l) {
  static_assert(impl::tile_gradient(Layer{}).of_input == Layer::needs_input);
  const auto [seen] = Layer::needs_input ? l.in : l.out;
  return ipu::apply(l.g, impl::tile_gradient(layer), seen, l.d_out[0], l.d_in[0]);
}

namespace impl {

/// An activation that tiles have no function of.
template <class Layer>
concept own_activation = activation_layer<Layer> && !elementwise_on_tiles<Layer>;

template <class Layer>
constexpr ipu::vertex_cost activation_cost(const ipu::architecture& chip, std::size_t elements) {
  const std::size_t pairs = ipu::divided_up(ipu::divided_up(elements, chip.workers), 2);
  return {30 + pairs * Layer::operations, chip.supervisor_launch.value, true, elements * Layer::operations};
}

}  // namespace impl

template <impl::own_activation Layer, class X>
constexpr panel_use panels_on_tiles(Layer, const forward_lowering<in<X>, out<X>>*) {
  return impl::takes_panels<X, X>();
}

template <impl::own_activation Layer, class E, std::size_t... Extent>
ipu::step lower_forward(Layer layer, const forward_lowering<in<tensor<E, Extent...>>, out<tensor<E, Extent...>>>& l) {
  const ipu::arranged x = ipu::arrange_like(l.g, l.in[0], l.out[0]);
  const auto run = [layer](std::span<const E> from, std::span<E> to) {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = E{value(layer, float{from[i]})};
  };
  const auto cost = [](const ipu::architecture& chip, ipu::lengths n) { return impl::activation_cost<Layer>(chip, n[0]); };
  return ipu::sequence(x.bring, ipu::on_each_tile(l.g, "activation",
                                                  {ipu::name_from("activation"), ipu::elementwise_code, run, cost},
                                                  l.out[0], {ipu::whole(x.variable), ipu::whole(l.out[0])}));
}

template <impl::own_activation Layer, class E, std::size_t... Extent>
ipu::step lower_backward_inputs(Layer layer,
                                const inputs_lowering<in<tensor<E, Extent...>>, out<tensor<E, Extent...>>>& l) {
  const auto [d_x] = l.d_in;
  const ipu::arranged seen = ipu::arrange_like(l.g, Layer::needs_input ? l.in[0] : l.out[0], d_x);
  const ipu::arranged d_y = ipu::arrange_like(l.g, l.d_out[0], d_x);
  const auto run = [layer](std::span<const E> at, std::span<const E> from, std::span<E> to) {
    for (std::size_t i = 0; i < at.size(); ++i) to[i] = E{slope(layer, float{at[i]}) * float{from[i]}};
  };
  const auto cost = [](const ipu::architecture& chip, ipu::lengths n) { return impl::activation_cost<Layer>(chip, n[0]); };
  return ipu::sequence(
      seen.bring, d_y.bring,
      ipu::on_each_tile(l.g, "activation gradient",
                        {ipu::name_from("activation gradient"), ipu::elementwise_code, run, cost}, d_x,
                        {ipu::whole(seen.variable), ipu::whole(d_y.variable), ipu::whole(d_x)}));
}

}  // namespace ipuflow::nn
