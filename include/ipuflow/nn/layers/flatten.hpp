// SPDX-License-Identifier: BSL-1.0
// All axes in one, in the order in which they lie in memory: nothing is computed, the same memory is seen in another
// shape. A sequence is the exception: its positions come out of the lanes, one behind the other.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/kernels/packing.hpp>
#include <ipuflow/nn/layer.hpp>

#include <cstddef>

namespace ipuflow::nn {

struct flatten_t {};
inline constexpr flatten_t flatten{};

template <element E, std::size_t... Extent>
[[nodiscard]] constexpr tensor<E, shape<Extent...>::elements> output_of(flatten_t, tensor<E, Extent...>) {
  return {};
}

template <element E, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(flatten_t, tensor<E, Extent...>) {
  constexpr bool same = !impl::sequence_shape<shape<Extent...>>;
  return {.inputs_need_input = false, .same_memory = same, .same_gradient = same};
}

template <class T, class X, class Y>
void forward(flatten_t, forward_pass<T, in<X>, out<Y>> pass) {
  impl::lay_anew(get<0>(pass.in), get<0>(pass.out));
}

template <class T, class X, class Y>
void backward_inputs(flatten_t, inputs_pass<T, in<X>, out<Y>> pass) {
  impl::lay_anew(get<0>(pass.d_out), get<0>(pass.d_in));
}

}  // namespace ipuflow::nn
