// SPDX-License-Identifier: BSL-1.0
// 1F1B with the backward split: gradients for weights fill the gaps of the ramp-down, and every IPU keeps what the
// first one keeps under 1F1B. With one stage per IPU it is the classic schedule. Qi et al., "Zero bubble pipeline
// parallelism".
#pragma once

#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/generators/generator.hpp>
#include <ipuflow/schedule/generators/grouping.hpp>

#include <cstddef>

namespace ipuflow::schedule {

namespace impl {

inline constexpr auto zb1p_lines = generator<"zb1p">({}, [](const grid& where) {
  grouping g = in_groups(where);
  for (std::size_t i = 0; i < g.table.part_count; ++i) {
    part& p = g.table.parts[i];
    const step_number lap = 3 * g.spacing[i];
    const step_number first = 3 * g.index[i];
    const step_number turn = first + 3 * (g.chunks - 1) * (g.widest + g.spacing[i]) + 3 * (number(where.ipus) - 1) + 1;
    const step_number every = lap * g.chunks;
    p[pass::forward] = {
        .runs = who::everyone, .at = first, .per_stage = 1, .per_chunk = lap, .per_member = 3, .per_group = every};
    p[pass::backward_inputs] = {
        .runs = who::everyone, .at = turn, .per_stage = -2, .per_chunk = -lap, .per_member = 3, .per_group = every};
    p[pass::backward_weights] = {
        .runs = who::everyone, .at = turn + 1, .per_stage = 1, .per_chunk = -lap, .per_member = 3, .per_group = every};
  }
  return g.table;
});

/// The lines in another order: each gradient for weights follows the backward for inputs that the IPU runs `ipu` later.
[[nodiscard]] constexpr table with_later_weights(const modular<>& linear) {
  table t{linear.where, linear.run_for};
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    dynamic_array<placed> weights;
    std::size_t next = 0;
    for (auto w = linear.walk(ipu); w; ++w) {
      if (w->kind == pass::backward_weights) continue;
      t.rows[ipu].push_back(*w);
      if (w->kind != pass::backward_inputs) continue;
      weights.push_back({{pass::backward_weights, w->stage, w->micro_batch}, w->step, false});
      if (weights.size() > ipu) t.rows[ipu].push_back(weights[next++]);
    }
    while (next < weights.size()) t.rows[ipu].push_back(weights[next++]);
  }
  return tabulate<table>(t);
}

struct zb1p_t : decltype(zb1p_lines) {
  /// Calls `use(timetable)` with the published order. With fewer micro-batches than IPUs and several stages per IPU a gradient
  /// for weights waits for backwards of the next chunk, which is not linear: there the timetable is a table.
  template <class Use>
  constexpr decltype(auto) by_name(const setup& asked, Use&& use) const {
    const modular<> linear = (*this)(asked);
    const bool few = asked.stages_per_ipu > 1 && asked.micro_batches < asked.ipus;
    return few && !linear.refused ? use(with_later_weights(linear)) : use(linear);
  }
};

}  // namespace impl

/// As a call it has lines for all sizes; by its name it is the published order, also where that has none.
inline constexpr impl::zb1p_t zb1p{impl::zb1p_lines};

}  // namespace ipuflow::schedule
