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

inline constexpr auto zb1p = generator<"zb1p">({}, [](const grid& where) {
  impl::grouping g = impl::in_groups(where);
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

/// The same for fewer micro-batches than IPUs and several stages per IPU. There a gradient for weights waits for
/// backwards of the next chunk, which is not linear: the order of the rest is kept, and each follows the backward for
/// inputs that the IPU runs `ipu` later.
inline constexpr auto zb1p_of_few = generator<"zb1p">({}, [](const grid& where, mode run_for, const no_options&) {
  const modular<> linear = zb1p.write(where);
  table t{where, run_for};
  for (std::size_t ipu = 0; ipu < where.ipus; ++ipu) {
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
});

namespace impl {

/// The published order, in whichever form it has for these sizes.
struct zb1p_as_published : decltype(zb1p) {
  template <class Use>
  constexpr decltype(auto) by_name(const setup& asked, Use&& use) const {
    const bool few = asked.stages_per_ipu > 1 && asked.micro_batches < asked.ipus;
    return few ? use(zb1p_of_few(asked)) : use(zb1p(asked));
  }
};

}  // namespace impl
inline constexpr impl::zb1p_as_published published_zb1p{zb1p};

}  // namespace ipuflow::schedule
