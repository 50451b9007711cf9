// SPDX-License-Identifier: BSL-1.0
// Micro-batches in groups that pass all IPUs once for each chunk of stages. Where the IPUs do not divide the
// micro-batches, the groups are made a little larger instead of leaving a short one at the end: a group of at least as
// many micro-batches as IPUs costs no bubble.
#pragma once

#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/forms/modular.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// Groups of nearly equal size, larger ones first, and the numbers that place them: `spacing` is the size of a group,
/// or the IPUs where the only group is smaller, `index` counts the forwards of an IPU before the part.
struct grouping {
  modular<> table{};
  step_number spacing[2]{};
  step_number index[2]{};
  step_number widest = 0;
  step_number chunks = 0;
};

/// The groups of all micro-batches, in a timetable that has no passes yet.
constexpr grouping in_groups(const grid& where) {
  grouping g{.table = lines_on(where, where.ipus), .chunks = number(where.chunks(0))};
  const std::size_t count = where.micro_batches;
  if (g.chunks == 1) {  // micro-batches that pass the IPUs once need no groups
    g.spacing[0] = g.widest = 1;
    return g;
  }
  const std::size_t rounds = count < where.ipus ? 1 : count / where.ipus;
  const std::size_t size = count / rounds;
  const std::size_t larger = count % rounds * (size + 1);
  g.table.part_count = larger == 0 ? 1 : 2;
  if (larger > 0) g.table.parts[0].assign(0, larger, size + 1);
  g.table.parts[g.table.part_count - 1].assign(larger, count - larger, size);
  for (std::size_t i = 0; i < g.table.part_count; ++i) {
    const std::size_t group = g.table.parts[i].group;
    g.spacing[i] = number(group < where.ipus ? where.ipus : group);
    g.index[i] = i == 0 ? 0 : number(larger) * g.chunks;
    if (g.spacing[i] > g.widest) g.widest = g.spacing[i];
  }
  return g;
}

}  // namespace ipuflow::schedule::impl
