// SPDX-License-Identifier: BSL-1.0
// Beginnings and ends of sequences on tiles: copies, and a sum over samples for the gradient of a class token.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/reduce.hpp>
#include <ipuflow/nn/layers/sequence_parts.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// A matrix [rows][columns] of each sample, turned round.
template <class = void>
inline ipu::step turn_samples(const lowering& l, std::size_t rows, std::size_t columns, ipu::variable_id from, ipu::variable_id to) {
  light_vector<ipu::copy_piece> pieces;
  for (std::size_t s = 0; s < l.samples; ++s) {
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t sample = s * rows * columns;
      pieces.push_back({.from = {from, sample + r * columns, 1}, .to = {to, sample + r, rows}, .length = 1, .count = columns});
    }
  }
  return ipu::copy(std::move(pieces));
}

/// `length` elements of each sample, from one place in it to another.
constexpr ipu::copy_piece part_of_samples(const lowering& l, ipu::copy_end from, ipu::copy_end to, std::size_t length) {
  return {.from = from, .to = to, .length = length, .count = l.samples};
}

}  // namespace impl

template <class Layer, class X, class Y>
  requires impl::turns_round<Layer>
ipu::step lower_forward(Layer, const forward_lowering<in<X>, out<Y>>& l) {
  return impl::turn_samples(l, Y::extent(1), Y::extent(0), l.in[0], l.out[0]);
}
template <class Layer, class X, class Y>
  requires impl::turns_round<Layer>
ipu::step lower_backward_inputs(Layer, const inputs_lowering<in<X>, out<Y>>& l) {
  return impl::turn_samples(l, Y::extent(0), Y::extent(1), l.d_out[0], l.d_in[0]);
}

template <class X, class Y>
ipu::step lower_forward(class_token_t, const forward_lowering<in<X>, out<Y>>& l) {
  constexpr std::size_t features = X::extent(1);
  const ipu::arranged token = l.as(l.numbers.weights, l.g[l.out[0]].type());
  return ipu::sequence(token.bring,
                       ipu::copy({impl::part_of_samples(l, {l.in[0], 0, X::elements}, {l.out[0], features, Y::elements}, X::elements),
                                  impl::part_of_samples(l, {token.variable, 0, 0}, {l.out[0], 0, Y::elements}, features)}));
}
template <class X, class Y>
ipu::step lower_backward_inputs(class_token_t, const inputs_lowering<in<X>, out<Y>>& l) {
  return ipu::copy({impl::part_of_samples(l, {l.d_out[0], X::extent(1), Y::elements}, {l.d_in[0], 0, X::elements}, X::elements)});
}
template <class X, class Y>
ipu::step lower_backward_weights(class_token_t, const weights_lowering<in<X>, out<Y>>& l) {
  constexpr std::size_t features = X::extent(1);
  const ipu::variable_id tokens = l.temporary("tokens", l.g[l.d_out[0]].type(), l.samples * features);
  const ipu::variable_id more = l.more_of(l.numbers.weights);
  return ipu::sequence(ipu::copy({impl::part_of_samples(l, {l.d_out[0], 0, Y::elements}, {tokens, 0, features}, features)}),
                       ipu::reduce(l.g, ipu::reduce_operation::sum, {1, l.samples, features}, tokens, more, l.where),
                       l.add_to(l.numbers.d_weights, more));
}

template <std::size_t Position, class X, class Y>
ipu::step lower_forward(position_t<Position>, const forward_lowering<in<X>, out<Y>>& l) {
  return ipu::copy({impl::part_of_samples(l, {l.in[0], Position * Y::elements, X::elements}, {l.out[0], 0, Y::elements}, Y::elements)});
}
template <std::size_t Position, class X, class Y>
ipu::step lower_backward_inputs(position_t<Position>, const inputs_lowering<in<X>, out<Y>>& l) {
  return ipu::sequence(
      ipu::fill(l.g, l.d_in[0], 0),
      ipu::copy({impl::part_of_samples(l, {l.d_out[0], 0, Y::elements}, {l.d_in[0], Position * Y::elements, X::elements}, Y::elements)}));
}

}  // namespace ipuflow::nn
