// SPDX-License-Identifier: BSL-1.0
// The parts of attention on tiles: products of every head at once, as `attention` has them, and softmaxes of whole rows, each the keys
// of one query and head.
#pragma once

#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/ipu/ops/softmax.hpp>
#include <ipuflow/nn/layers/attention_parts.hpp>
#include <ipuflow/nn/lowerings/attention_lowering.hpp>

#include <cstddef>

namespace ipuflow::nn {

namespace impl {

/// The matrices of heads inside the variables of scores and of positions, and products of them.
struct parts_on_tiles {
  const lowering& l;
  attention_sizes sizes;

  /// Queries, keys or values, or what comes out: `parts` matrices stand side by side in each row.
  head_windows in_rows(ipu::variable_id v, std::size_t part, std::size_t parts) const {
    const std::size_t row = parts * sizes.features;
    return {v, sizes.positions * row, sizes.width(), part * sizes.features, row};
  }
  /// Scores or shares: those of all heads stand side by side in each row.
  head_windows in_scores(ipu::variable_id v) const {
    const std::size_t row = sizes.heads * sizes.positions;
    return {v, sizes.positions * row, sizes.positions, 0, row};
  }

  /// Rows by columns, each number a sum over features: scores.
  template <class = void>
  ipu::step dots(const head_windows& left, const head_windows& right, const head_windows& out) const {
    const std::size_t p = sizes.positions;
    return products_of_heads(l, sizes, {p, sizes.width(), p, sizes.type, false, true}, left, right, out);
  }
  /// Rows by features, each number a sum over positions; of the scores turned round if `turned`.
  template <class = void>
  ipu::step mix(const head_windows& scores, bool turned, const head_windows& right, const head_windows& out) const {
    const std::size_t p = sizes.positions;
    return products_of_heads(l, sizes, {p, p, sizes.width(), sizes.type, turned, false}, scores, right, out);
  }

  /// A value of `rows` rows, over the root of the head's width.
  template <class E>
  ipu::step scaled(ipu::variable_id v, std::size_t rows) const {
    const auto scale = static_cast<float>(1 / square_root(static_cast<double>(sizes.width())));
    return on_rows(l, "scale", rows, scores_codelet<E, void>(sizes, false, scale), {change_rows(v)});
  }
};

}  // namespace impl

template <std::size_t Heads, class E, std::size_t P, std::size_t F, class Y>
ipu::step lower_forward(attention_scores_t<Heads>, const forward_lowering<in<tensor<E, P, F>>, out<Y>>& l) {
  const impl::parts_on_tiles with{l, impl::sizes_of<Heads, E, P, F>(l)};
  return ipu::sequence(with.dots(with.in_rows(l.in[0], 0, 3), with.in_rows(l.in[0], 1, 3), with.in_scores(l.out[0])),
                       with.scaled<E>(l.out[0], l.samples * P * Heads));
}
template <std::size_t Heads, class E, std::size_t P, std::size_t F, class Y>
ipu::step lower_backward_inputs(attention_scores_t<Heads>, const inputs_lowering<in<tensor<E, P, F>>, out<Y>>& l) {
  const impl::parts_on_tiles with{l, impl::sizes_of<Heads, E, P, F>(l)};
  const impl::head_windows d_scores = with.in_scores(l.d_out[0]);
  return ipu::sequence(ipu::fill(l.g, l.d_in[0], 0),
                       with.mix(d_scores, false, with.in_rows(l.in[0], 1, 3), with.in_rows(l.d_in[0], 0, 3)),
                       with.mix(d_scores, true, with.in_rows(l.in[0], 0, 3), with.in_rows(l.d_in[0], 1, 3)),
                       with.scaled<E>(l.d_in[0], l.samples * P));
}

template <class E, std::size_t P, std::size_t S>
ipu::step lower_forward(attention_shares_t, const forward_lowering<in<tensor<E, P, S>>, out<tensor<E, P, S>>>& l) {
  return ipu::softmax(l.g, l.samples * S, l.in[0], l.out[0], l.where);
}
template <class E, std::size_t P, std::size_t S>
ipu::step lower_backward_inputs(attention_shares_t, const inputs_lowering<in<tensor<E, P, S>>, out<tensor<E, P, S>>>& l) {
  return ipu::softmax_gradient(l.g, l.samples * S, l.out[0], l.d_out[0], l.d_in[0], l.where);
}

template <class E, std::size_t P, std::size_t S, std::size_t F, class Y>
ipu::step lower_forward(weighted_values_t, const forward_lowering<in<tensor<E, P, S>, tensor<E, P, F>>, out<Y>>& l) {
  const impl::parts_on_tiles with{l, impl::sizes_of<S / P, E, P, F>(l)};
  return with.mix(with.in_scores(l.in[0]), false, with.in_rows(l.in[1], 2, 3), with.in_rows(l.out[0], 0, 1));
}
/// Either gradient may be unwanted.
template <class E, std::size_t P, std::size_t S, std::size_t F, class Y>
ipu::step lower_backward_inputs(weighted_values_t, const inputs_lowering<in<tensor<E, P, S>, tensor<E, P, F>>, out<Y>>& l) {
  const impl::parts_on_tiles with{l, impl::sizes_of<S / P, E, P, F>(l)};
  const impl::head_windows d_y = with.in_rows(l.d_out[0], 0, 1);
  const auto [d_shares, d_x] = l.d_in;
  ipu::step program;
  if (d_shares.wanted()) program.then(with.dots(d_y, with.in_rows(l.in[1], 2, 3), with.in_scores(d_shares)));
  if (d_x.wanted()) {
    program.then(ipu::fill(l.g, d_x, 0));
    program.then(with.mix(with.in_scores(l.in[0]), true, d_y, with.in_rows(d_x, 2, 3)));
  }
  return program;
}

}  // namespace ipuflow::nn
