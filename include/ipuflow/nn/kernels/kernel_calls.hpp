// SPDX-License-Identifier: BSL-1.0
// Calls kernels from inside a class whose own functions have the same names, which would hide them. The kernels of a
// layer:
//   forward(layer, context, parameters, in..., out...)
//   backward_inputs(layer, context, parameters, in..., out..., d_out..., d_in...)     d_in of real tensors only; writes
//   backward_weights(layer, context, parameters, in..., out..., d_out..., d_parameters)                        adds
#pragma once

#include <ipuflow/nn/batch.hpp>
#include <ipuflow/nn/simd/half_lanes.hpp>
#include <ipuflow/nn/simd/rounding.hpp>

#include <cstddef>
#include <tuple>

namespace ipuflow::nn {

template <class Layer, class T, class... Batch>
void run_forward(Layer layer, const context& c, parameters<T> p, Batch... batches) {
  forward(layer, c, p, batches...);
}

template <class Layer, class T, class... Argument>
void run_backward_weights(Layer layer, const context& c, parameters<T> p, Argument... arguments) {
  backward_weights(layer, c, p, arguments...);
}

template <bool Real, class Batch>
constexpr auto only_real(Batch d_in) {
  if constexpr (Real) {
    return std::tuple<Batch>{d_in};
  } else {
    return std::tuple<>{};
  }
}

/// `Real`: which inputs have a gradient at all.
template <bool... Real, class Layer, class T, class... In, class... Out, class... Target>
void run_backward_inputs(Layer layer, const context& c, parameters<T> p, std::tuple<In...> in, std::tuple<Out...> out,
                         Target... d_in) {
  std::apply([&](auto... all) { backward_inputs(layer, c, p, all...); },
             std::tuple_cat(in, out, only_real<Real>(d_in)...));
}

/// Values of tensors that are declared as halves are rounded to halves wherever a layer ends.
template <bool Round, class T, class Shape>
void round_if(batch<T, Shape> values) {
  if constexpr (Round) {
    if (values.data == nullptr) return;
    for (std::size_t i = 0; i < values.groups * Shape::elements; ++i) values.data[i] = rounded(values.data[i]);
  }
}

template <bool Add, class T, class Shape>
void add_if(batch<T, Shape> more, batch<T, Shape> sum) {
  if constexpr (Add) {
    for (std::size_t i = 0; i < sum.groups * Shape::elements; ++i) sum.data[i] += more.data[i];
  }
}

template <class T, class Shape>
void clear(batch<T, Shape> values) {
  if (values.data == nullptr) return;
  for (std::size_t i = 0; i < values.groups * Shape::elements; ++i) values.data[i] = lanes<T>{};
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
