// SPDX-License-Identifier: BSL-1.0
// 1F1B with several stages an IPU, so that the ramps are shorter: groups of micro-batches pass the IPUs, once for each
// chunk of stages. Narayanan et al., "Efficient large-scale language model training on GPU clusters".
#pragma once

#include <ipuflow/schedule/generators/grouping.hpp>

#include <cstddef>

namespace ipuflow::schedule {

constexpr modular<> interleaved_1f1b(const setup& asked) {
  grouping g = in_groups(asked);
  const auto ipus = static_cast<step_number>(g.table.where.ipus);
  for (std::size_t i = 0; i < g.table.part_count; ++i) {
    const step_number every = 2 * g.spacing[i] * g.chunks;
    const step_number turn = 2 * (g.chunks - 1) * (g.widest + g.spacing[i]) + 4 * (ipus - 1) + 1;
    g.table.parts[i][pass::forward] = {who::everyone, 2 * g.index[i], 2, 2 * g.spacing[i], 2, every};
    g.table.parts[i][pass::backward] = {who::everyone, 2 * g.index[i] + turn, -2, -2 * g.spacing[i], 2, every};
  }
  return g.table;
}

template <staged Pipeline, std::size_t Count>
constexpr modular<> interleaved_1f1b(const Pipeline& pipeline, micro_batches_t<Count>) {
  return on_devices_of(interleaved_1f1b(setup_of(pipeline, Count)), pipeline);
}
}  // namespace ipuflow::schedule
