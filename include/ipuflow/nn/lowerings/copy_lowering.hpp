// SPDX-License-Identifier: BSL-1.0
// Layers that only copy, on tiles: the identity in a stage's steps, where a value must lie in two places, the sum of
// two values, and flatten, whose output is its input and which has no code.
#pragma once

#include <ipuflow/nn/layers/flatten.hpp>
#include <ipuflow/nn/layers/residual.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>
#include <ipuflow/nn/stage/stage_walk.hpp>

namespace ipuflow::nn {

template <class E, class Shape>
ipu::step lower_forward(copy_t, const lowering& l, on_tiles<E, Shape> x, on_tiles<E, Shape> y) {
  return ipu::copy_all(l.g, x.variable, y.variable);
}

template <class E, class Shape>
ipu::step lower_backward_inputs(copy_t, const lowering& l, on_tiles<E, Shape>, on_tiles<E, Shape>,
                                on_tiles<E, Shape> d_y, on_tiles<E, Shape> d_x) {
  return ipu::copy_all(l.g, d_y.variable, d_x.variable);
}

template <class E, class Shape>
ipu::step lower_forward(add_t, const lowering& l, on_tiles<E, Shape> a, on_tiles<E, Shape> b, on_tiles<E, Shape> y) {
  return ipu::apply(l.g, ipu::binary::add, a.variable, b.variable, y.variable);
}

/// Either gradient may be unwanted.
template <class E, class Shape>
ipu::step lower_backward_inputs(add_t, const lowering& l, on_tiles<E, Shape>, on_tiles<E, Shape>, on_tiles<E, Shape>,
                                on_tiles<E, Shape> d_y, on_tiles<E, Shape> d_a, on_tiles<E, Shape> d_b) {
  ipu::step program;
  for (const auto& d_x : {d_a, d_b}) {
    if (d_x.there) program.body.push_back(ipu::copy_all(l.g, d_y.variable, d_x.variable));
  }
  return program;
}

template <class E, class In, class Out>
ipu::step lower_forward(flatten_t, const lowering&, on_tiles<E, In>, on_tiles<E, Out>) {
  return {};
}

}  // namespace ipuflow::nn
