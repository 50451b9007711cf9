// SPDX-License-Identifier: BSL-1.0
// Micro-batches in groups that pass all IPUs once for each chunk of stages. Where the IPUs do not divide the
// micro-batches, the groups are made a little larger instead of leaving a short one at the end: a group of at least as
// many micro-batches as IPUs costs no bubble.
#pragma once

#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/setup.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// Groups of nearly equal size, larger ones first, and the numbers that place them: `spacing` is the size of a group,
/// or the IPUs where the only group is smaller, `index` counts the forwards of an IPU before the part.
struct grouping {
  modular<> table{};
  step_number spacing[2]{};
  step_number index[2]{};
  step_number widest = 0;
  step_number chunks = 0;
};

/// The groups of a setup, in a timetable that has no passes yet.
constexpr grouping in_groups(const setup& asked) {
  const std::size_t chunks = asked.stages_per_ipu == 0 ? 1 : asked.stages_per_ipu;
  grouping g{.table = {.where = grid_of(asked, chunks), .run_for = asked.run_for, .refused = verify_setup(asked, {})}};
  g.table.span = g.table.where.ipus;
  const std::size_t ipus = g.table.where.ipus;
  const std::size_t rounds = asked.micro_batches < ipus ? 1 : asked.micro_batches / ipus;
  const std::size_t size = asked.micro_batches / rounds;
  const std::size_t larger = asked.micro_batches % rounds * (size + 1);
  g.table.parts[0].hold(0, larger, size + 1);
  g.table.parts[1].hold(larger, asked.micro_batches - larger, size < 1 ? 1 : size);
  if (larger == 0) g.table.parts[0] = g.table.parts[1];
  g.table.part_count = larger == 0 ? 1 : 2;
  g.chunks = static_cast<step_number>(chunks);
  for (std::size_t i = 0; i < g.table.part_count; ++i) {
    const std::size_t group = g.table.parts[i].group;
    g.spacing[i] = static_cast<step_number>(group < ipus ? ipus : group);
    g.index[i] = i == 0 ? 0 : static_cast<step_number>(larger * chunks);
    if (g.spacing[i] > g.widest) g.widest = g.spacing[i];
  }
  return g;
}

}  // namespace ipuflow::schedule
