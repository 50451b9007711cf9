// SPDX-License-Identifier: BSL-1.0
// Casts on tiles. Bytes are four to a word until here: in the memory of the tiles, on the exchange and on the way from the
// host. What is one type on tiles, as float and double are, is copied.
#pragma once

#include <ipuflow/nn/layers/cast.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow::nn {

namespace impl {

template <class From, class To>
ipu::step cast_on_tiles(ipu::graph& g, ipu::variable_id from, ipu::variable_id to) {
  if constexpr (std::is_same_v<From, To>) {
    return ipu::copy_all(g, from, to);
  } else {
    return ipu::cast<From, To>(g, from, to);
  }
}

}  // namespace impl

template <real_element To, real_element From, class Made, std::size_t... Extent>
constexpr panel_use panels_on_tiles(cast_t<To>, const forward_lowering<in<tensor<From, Extent...>>, out<tensor<Made, Extent...>>>*) {
  return impl::takes_panels<tensor<From, Extent...>, tensor<Made, Extent...>>();
}

template <real_element To, class From, class Made, std::size_t... Extent>
ipu::step lower_forward(cast_t<To>, const forward_lowering<in<tensor<From, Extent...>>, out<tensor<Made, Extent...>>>& l) {
  return impl::cast_on_tiles<From, Made>(l.g, l.in[0], l.out[0]);
}

template <real_element To, real_element From, class Made, std::size_t... Extent>
ipu::step lower_backward_inputs(cast_t<To>, const inputs_lowering<in<tensor<From, Extent...>>, out<tensor<Made, Extent...>>>& l) {
  return impl::cast_on_tiles<Made, From>(l.g, l.d_out[0], l.d_in[0]);
}

}  // namespace ipuflow::nn
