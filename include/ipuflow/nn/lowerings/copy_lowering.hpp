// SPDX-License-Identifier: BSL-1.0
// Copies on tiles: the identity, a sequence seen as a vector, and a sum, whose gradient goes to both of its terms.
#pragma once

#include <ipuflow/nn/layers/copy.hpp>
#include <ipuflow/nn/layers/flatten.hpp>
#include <ipuflow/nn/layers/residual.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

namespace ipuflow::nn {

template <class X>
constexpr panel_use panels_on_tiles(copy_t, const forward_lowering<in<X>, out<X>>*) {
  return impl::takes_panels<X, X>();
}
template <class X>
constexpr panel_use panels_on_tiles(add_t, const forward_lowering<in<X, X>, out<X>>*) {
  return impl::takes_panels<X, X>();
}

template <class X>
ipu::step lower_forward(copy_t, const forward_lowering<in<X>, out<X>>& l) {
  return ipu::copy_all(l.g, l.in[0], l.out[0]);
}

template <class X>
ipu::step lower_backward_inputs(copy_t, const inputs_lowering<in<X>, out<X>>& l) {
  return ipu::copy_all(l.g, l.d_out[0], l.d_in[0]);
}

template <class X, class Y>
ipu::step lower_forward(flatten_t, const forward_lowering<in<X>, out<Y>>& l) {
  return ipu::copy_all(l.g, l.in[0], l.out[0]);
}

template <class X, class Y>
ipu::step lower_backward_inputs(flatten_t, const inputs_lowering<in<X>, out<Y>>& l) {
  return ipu::copy_all(l.g, l.d_out[0], l.d_in[0]);
}

template <class X>
ipu::step lower_forward(add_t, const forward_lowering<in<X, X>, out<X>>& l) {
  return ipu::apply(l.g, ipu::binary::add, l.in[0], l.in[1], l.out[0]);
}

/// Either gradient may be unwanted.
template <class X>
ipu::step lower_backward_inputs(add_t, const inputs_lowering<in<X, X>, out<X>>& l) {
  ipu::step program;
  for (const on_tiles& d_x : l.d_in) {
    if (d_x.wanted()) program.then(ipu::copy_all(l.g, l.d_out[0], d_x));
  }
  return program;
}

}  // namespace ipuflow::nn
