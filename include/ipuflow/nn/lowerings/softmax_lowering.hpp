// SPDX-License-Identifier: BSL-1.0
// Softmax on tiles: whole samples on a tile, forward and from its outcome backward.
#pragma once

#include <ipuflow/ipu/ops/softmax.hpp>
#include <ipuflow/nn/layers/softmax.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

#include <cstddef>

namespace ipuflow::nn {

template <class E, std::size_t C>
ipu::step lower_forward(softmax_t, const lowering& l, on_tiles<E, shape<C>> x, on_tiles<E, shape<C>> y) {
  return ipu::softmax(l.g, l.samples, x.variable, y.variable, l.where);
}

template <class E, std::size_t C>
ipu::step lower_backward_inputs(softmax_t, const lowering& l, on_tiles<E, shape<C>>, on_tiles<E, shape<C>> y,
                                on_tiles<E, shape<C>> d_y, on_tiles<E, shape<C>> d_x) {
  return ipu::softmax_gradient(l.g, l.samples, y.variable, d_y.variable, d_x.variable, l.where);
}

}  // namespace ipuflow::nn
