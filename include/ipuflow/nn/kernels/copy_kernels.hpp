// SPDX-License-Identifier: BSL-1.0
// The identity that a stage's steps have where a value must lie in two places.
#pragma once

#include <ipuflow/nn/stage/stage_walk.hpp>

#include <cstddef>

namespace ipuflow::nn {

template <class T, class U, class Shape>
void forward(copy_t, const context&, parameters<T>, batch<const U, Shape> x, batch<U, Shape> y) {
  for (std::size_t i = 0; i < x.groups * Shape::elements; ++i) y.data[i] = x.data[i];
}

template <class T, class Shape>
void backward_inputs(copy_t, const context&, parameters<T>, batch<const T, Shape>, batch<const T, Shape>,
                     batch<const T, Shape> d_y, batch<T, Shape> d_x) {
  for (std::size_t i = 0; i < d_y.groups * Shape::elements; ++i) d_x.data[i] = d_y.data[i];
}

}  // namespace ipuflow::nn
