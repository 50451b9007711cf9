// SPDX-License-Identifier: BSL-1.0
// 1F1B with several stages per IPU, so that the ramps are shorter: groups of micro-batches pass the IPUs, once for each
// chunk of stages. Narayanan et al., "Efficient large-scale language model training on GPU clusters".
#pragma once

#include <ipuflow/schedule/generators/generator.hpp>
#include <ipuflow/schedule/generators/grouping.hpp>

#include <cstddef>

namespace ipuflow::schedule {

inline constexpr auto interleaved_1f1b = generator<"interleaved_1f1b">({}, [](const grid& where) {
  impl::grouping g = impl::in_groups(where);
  for (std::size_t i = 0; i < g.table.part_count; ++i) {
    const step_number spacing = g.spacing[i];
    const step_number first = 2 * g.index[i];
    const step_number turn = first + 2 * (g.chunks - 1) * (g.widest + spacing) + 4 * (number(where.ipus) - 1) + 1;
    const step_number every = 2 * spacing * g.chunks;
    g.table.parts[i][pass::forward] = {.runs = who::everyone,
                                       .at = first,
                                       .per_stage = 2,
                                       .per_chunk = 2 * spacing,
                                       .per_member = 2,
                                       .per_group = every};
    g.table.parts[i][pass::backward] = {.runs = who::everyone,
                                        .at = turn,
                                        .per_stage = -2,
                                        .per_chunk = -2 * spacing,
                                        .per_member = 2,
                                        .per_group = every};
  }
  return g.table;
});

}  // namespace ipuflow::schedule
