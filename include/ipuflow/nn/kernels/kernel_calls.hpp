// SPDX-License-Identifier: BSL-1.0
// Calls kernels from inside a class whose own functions have the same names, which would hide them, and does to values
// what no layer does itself.
#pragma once

#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/simd/half_lanes.hpp>
#include <ipuflow/nn/simd/rounding.hpp>

#include <cstddef>

namespace ipuflow::nn {

namespace impl {

template <class Layer, class Pass>
void run_forward(Layer layer, const Pass& pass) {
  forward(layer, pass);
}
template <class Layer, class Pass>
void run_backward_inputs(Layer layer, const Pass& pass) {
  backward_inputs(layer, pass);
}
template <class Layer, class Pass>
void run_backward_weights(Layer layer, const Pass& pass) {
  backward_weights(layer, pass);
}

/// Values of tensors that are declared as halves are rounded to halves wherever a layer ends.
template <bool Round, class T, class Shape>
void round_if(batch<T, Shape> values) {
  if constexpr (Round) {
    for (std::size_t i = 0; values.wanted() && i < values.size(); ++i) values[i] = rounded(values[i]);
  }
}

template <bool Add, class T, class Shape>
void add_if(batch<T, Shape> more, batch<T, Shape> sum) {
  if constexpr (Add) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
  }
}

}  // namespace impl

template <class T, class Shape>
void clear(batch<T, Shape> values) {
  for (std::size_t i = 0; values.wanted() && i < values.size(); ++i) values[i] = lanes<T>{};
}

/// A loss is one number a sample: those get `value`, padding and all else zero.
template <class T, class Shape>
void fill(batch<T, Shape> values, T value) {
  clear(values);
  if constexpr (Shape::rank == 0) {
    for (std::size_t g = 0; g < values.groups; ++g) {
      for (std::size_t l = 0; l < values.samples_in(g); ++l) values.data[g].set(l, value);
    }
  }
}

}  // namespace ipuflow::nn
