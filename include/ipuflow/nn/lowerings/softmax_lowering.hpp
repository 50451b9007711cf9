// SPDX-License-Identifier: BSL-1.0
// Softmax on tiles: whole samples on a tile, of sequences whole positions, forward and from its outcome backward.
#pragma once

#include <ipuflow/ipu/ops/softmax.hpp>
#include <ipuflow/nn/layers/softmax.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

namespace ipuflow::nn {

template <class X>
ipu::step lower_forward(softmax_t, const forward_lowering<in<X>, out<X>>& l) {
  return ipu::softmax(l.g, impl::of_rows<X>(l).samples, l.in[0], l.out[0], l.where);
}

template <class X>
ipu::step lower_backward_inputs(softmax_t, const inputs_lowering<in<X>, out<X>>& l) {
  return ipu::softmax_gradient(l.g, impl::of_rows<X>(l).samples, l.out[0], l.d_out[0], l.d_in[0], l.where);
}

}  // namespace ipuflow::nn
