// SPDX-License-Identifier: BSL-1.0
// Masks of attention's scores on tiles, where the scores stand. The segments of a sample go to the tiles that hold scores of it.
#pragma once

#include <ipuflow/ipu/ops/row_layout.hpp>
#include <ipuflow/nn/layers/attention_masks.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// The places of scores: `heads` rows of `positions` keys for each query.
struct score_places {
  std::size_t positions = 1;
  std::size_t heads = 1;

  /// Calls `visit(place on the tile, sample among those of the tile, query, key)`.
  template <class Visit>
  void each_score(const ipu::tile_rows& t, Visit visit) const {
    ipu::each_part(t, [&](const ipu::row_part& p, std::size_t at) {
      for (std::size_t i = 0; i < p.length; ++i) {
        const std::size_t row = (p.begin + i) / positions;
        visit(at + i, std::size_t{p.slot}, row / heads % positions, (p.begin + i) % positions);
      }
    });
  }
};

/// Masks scores of samples where they stand.
template <class = void>
class basic_mask_work {
 public:
  basic_mask_work(const lowering& l, std::size_t positions, std::size_t heads, ipu::variable_id x)
      : g_{l.g}, at_{positions, heads}, x_{x}, work_{l.g, l.g[x].map(), l.g[x].type(), {positions * positions * heads, l.samples}, l.where} {}

  /// Keys up to the query stay as they are; others become `otherwise`.
  template <class E>
  ipu::step causal(float otherwise, ipu::variable_id y) const {
    const auto run = [at = at_, otherwise, tiles = work_.shared_tiles()](std::uint32_t tile, std::span<const E> x, std::span<E> to) {
      at.each_score((*tiles)[tile], [&](std::size_t i, std::size_t, std::size_t query, std::size_t key) { to[i] = sees_before(0, query, key) ? x[i] : E{otherwise}; });
    };
    const ipu::variable_id made = ipu::room_in(g_, "masked", y, g_[x_].map());
    return taken_back(work_.on_rows("causal mask", {ipu::name_from("causal mask"), ipu::elementwise_code, run, cost<E>}, {ipu::whole(x_), ipu::whole(made)}), made, y);
  }

  /// The same with keys of the query's segment.
  template <class E, class Segment>
  ipu::step segments(ipu::variable_id of_samples, float otherwise, ipu::variable_id y) const {
    const auto run = [at = at_, otherwise, tiles = work_.shared_tiles()](std::uint32_t tile, std::span<const E> x, std::span<const Segment> segment, std::span<E> to) {
      at.each_score((*tiles)[tile], [&](std::size_t i, std::size_t sample, std::size_t query, std::size_t key) {
        to[i] = segment[sample * at.positions + query] == segment[sample * at.positions + key] ? x[i] : E{otherwise};
      });
    };
    ipu::step program;
    const ipu::row_numbers there = work_.to_tiles(program, {of_samples, at_.positions, true});
    const ipu::variable_id made = ipu::room_in(g_, "masked", y, g_[x_].map());
    program.then(work_.on_rows("segment mask", {ipu::name_from("segment mask"), ipu::elementwise_code, run, cost<E>}, {ipu::whole(x_), ipu::whole(there.variable), ipu::whole(made)}));
    return taken_back(std::move(program), made, y);
  }

 private:
  ipu::step taken_back(ipu::step program, ipu::variable_id made, ipu::variable_id to) const {
    if (made.index != to.index) program.then(ipu::copy_all(g_, made, to));
    return program;
  }
  /// A mask is added [the vendor's way].
  template <class E>
  static constexpr auto cost = [](const ipu::architecture& chip, ipu::lengths n) { return ipu::binary_cost(chip, ipu::binary::add, ipu::element_type_of<E>(), n[0]); };

  ipu::graph& g_;
  score_places at_;
  ipu::variable_id x_;
  ipu::row_work work_;
};
using mask_work = basic_mask_work<>;

}  // namespace impl

template <class E, std::size_t P, std::size_t S>
ipu::step lower_forward(causal_mask_t, const forward_lowering<in<tensor<E, P, S>>, out<tensor<E, P, S>>>& l) {
  return impl::mask_work{l, P, S / P, l.in[0]}.template causal<E>(impl::hidden_score, l.out[0]);
}
template <class E, std::size_t P, std::size_t S>
ipu::step lower_backward_inputs(causal_mask_t, const inputs_lowering<in<tensor<E, P, S>>, out<tensor<E, P, S>>>& l) {
  return impl::mask_work{l, P, S / P, l.d_out[0]}.template causal<E>(0, l.d_in[0]);
}

template <class E, std::size_t P, std::size_t S, class Segment>
ipu::step lower_forward(segment_mask_t,
                        const forward_lowering<in<tensor<E, P, S>, tensor<Segment, P>>, out<tensor<E, P, S>>>& l) {
  return impl::mask_work{l, P, S / P, l.in[0]}.template segments<E, Segment>(l.in[1], impl::hidden_score, l.out[0]);
}
template <class E, std::size_t P, std::size_t S, class Segment>
ipu::step lower_backward_inputs(segment_mask_t,
                                const inputs_lowering<in<tensor<E, P, S>, tensor<Segment, P>>, out<tensor<E, P, S>>>& l) {
  return impl::mask_work{l, P, S / P, l.d_out[0]}.template segments<E, Segment>(l.in[1], 0, l.d_in[0]);
}

}  // namespace ipuflow::nn
