// SPDX-License-Identifier: BSL-1.0
// Batch norm on tiles: every channel of all samples is a row, of which tiles hold the planes, or parts of them, that they have.
// In training a part of each new batch goes into the running statistics; otherwise these are used.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/lowerings/norm_passes.hpp>
#include <ipuflow/nn/lowerings/row_lowering.hpp>

#include <cstddef>
#include <span>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// The statistics of a batch, or running ones.
template <class = void>
norm_passes batch_norm_passes(const lowering& l, std::size_t channels, std::size_t plane, ipu::variable_id x, const ipu::row_effort& effort, bool back) {
  const ipu::row_order order{plane, channels};
  norm_passes made{l, order, order, x, effort};
  if (l.training) {
    if (back) made.recall_statistics();
    else made.find_statistics();
    return made;
  }
  const ipu::variable_id pairs = l.g.add_temporary(ipu::name_from("running"), ipu::element_type::f32, 2 * channels,
                                                   ipu::linear(2 * channels, algorithms::min(channels, ipu::tiles_for(l.g, l.where)), l.where.first_tile, 2));
  const ipu::variable_id state = l.numbers.state;
  made.add(ipu::copy({{.from = {state, 0, 1}, .to = {pairs, 0, 2}, .length = 1, .count = channels},
                      {.from = {state, channels, 1}, .to = {pairs, 1, 2}, .length = 1, .count = channels}}));
  made.give_statistics(pairs);
  return made;
}

/// A part of each new batch goes into the running statistics, the variance without its bias.
template <class = void>
ipu::step keep_statistics(const lowering& l, std::size_t channels, ipu::variable_id pairs, float count) {
  const auto run = [count](std::span<const float> now, ipu::inout<float> state) {
    const auto mix = static_cast<float>(norm_momentum);
    for (std::size_t c = 0; c < now.size(); c += 2) {
      state[c] += mix * (now[c] - state[c]);
      state[c + 1] += mix * (now[c + 1] * (count / (count > 1 ? count - 1 : 1)) - state[c + 1]);
    }
  };
  const auto cost = [](const ipu::architecture& chip, ipu::lengths n) { return row_cost(chip, ipu::element_type::f32, n[1], 2); };
  return on_rows(l, "running statistics", channels, {ipu::name_from("running statistics"), ipu::elementwise_code, run, cost},
                 {read_rows(pairs), change_rows(l.numbers.state, 2)});
}

}  // namespace impl

template <class E, std::size_t C, std::size_t... Extent>
constexpr std::size_t notes_on_tiles(batch_norm_t, const forward_lowering<in<tensor<E, C, Extent...>>, out<tensor<E, C, Extent...>>>*, std::size_t) {
  return C;
}

template <class E, std::size_t C, std::size_t... Extent>
ipu::step lower_forward(batch_norm_t,
                        const forward_lowering<in<tensor<E, C, Extent...>>, out<tensor<E, C, Extent...>>>& l) {
  impl::norm_passes made = impl::batch_norm_passes(l, C, shape<Extent...>::elements, l.in[0], impl::forward_effort, false);
  made.forward(l.out[0]);
  if (l.training && l.updates_state) {
    const ipu::variable_id pairs = made.statistics_in_order();
    made.add(impl::keep_statistics(l, C, pairs, made.count()));
  }
  return made.program();
}

template <class E, std::size_t C, std::size_t... Extent>
ipu::step lower_backward_inputs(batch_norm_t,
                                const inputs_lowering<in<tensor<E, C, Extent...>>, out<tensor<E, C, Extent...>>>& l) {
  impl::norm_passes made = impl::batch_norm_passes(l, C, shape<Extent...>::elements, l.in[0], impl::with_notes(impl::inputs_effort, l.numbers), true);
  made.backward_inputs(l.d_out[0], l.d_in[0], l.training);
  return made.program();
}

template <class E, std::size_t C, std::size_t... Extent>
ipu::step lower_backward_weights(batch_norm_t,
                                 const weights_lowering<in<tensor<E, C, Extent...>>, out<tensor<E, C, Extent...>>>& l) {
  impl::norm_passes made = impl::batch_norm_passes(l, C, shape<Extent...>::elements, l.in[0], impl::with_notes(impl::weights_effort, l.numbers), true);
  made.backward_weights(l.d_out[0]);
  return made.program();
}

}  // namespace ipuflow::nn
