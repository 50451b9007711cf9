// SPDX-License-Identifier: BSL-1.0
// The checks of program_check.hpp for every step of a program, and for steps that stand side by side.
#pragma once

#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/ipu/program/liveness.hpp>
#include <ipuflow/ipu/program/program_check.hpp>

#include <cstddef>

namespace ipuflow::ipu {

/// Chips whose tiles a step uses.
template <class = void>
[[nodiscard]] inline flat_set<std::size_t> chips_of(const graph& g, const step& s) {
  flat_set<std::size_t> made;
  if (s.kind == step_kind::call) return chips_of(g, g.functions()[s.index]);
  for (const step& inner : s.body) made.merge(chips_of(g, inner));
  const std::size_t per_chip = g.chip().tiles;
  if (s.kind == step_kind::execute) {
    for (const vertex_group& group : g.compute_sets()[s.index].groups) {
      for (std::size_t c = group.first_tile / per_chip; c <= (group.first_tile + group.tiles - 1) / per_chip; ++c)
        made.insert(c);
    }
    return made;
  }
  for (const variable_use& use : uses_of(g, s)) {
    for (const auto& [tile, held] : g.variables()[use.variable].tiles()) made.insert(tile / per_chip);
  }
  return made;
}

/// The first thing that the program may not do, as far as it shows without running it.
template <class = void>
inline program_fault verify_program(const graph& g, const step& s, std::size_t replicas = 1) {
  const auto shards = [&](variable_id part, variable_id whole_one) -> program_fault {
    const std::size_t all = g[part].elements() * replicas;
    if (all == g[whole_one].elements()) return {};
    return {program_wrong::sharding, all, g[whole_one].elements(), {g[part].name(), g[whole_one].name(), 0}};
  };
  switch (s.kind) {
    case step_kind::call:
      return verify_program(g, g.functions()[s.index], replicas);
    case step_kind::execute: {
      const compute_set& set = g.compute_sets()[s.index];
      const program_fault found = verify_operands(g, set);
      return found ? found : verify_disjoint(g, set);
    }
    case step_kind::copy:
      return verify_copy(g, s);
    case step_kind::push:
    case step_kind::pull:
      return verify_ring(g, s);
    case step_kind::all_gather:
      return shards(s.variable, s.target);
    case step_kind::reduce_scatter:
      return shards(s.target, s.variable);
    default:
      break;
  }
  flat_set<std::size_t> busy;
  for (const step& inner : s.body) {
    if (const program_fault found = verify_program(g, inner, replicas)) return found;
    if (s.kind != step_kind::parallel) continue;
    for (const std::size_t chip : chips_of(g, inner)) {
      if (!busy.insert(chip)) return {program_wrong::shared_chip, chip};
    }
  }
  return {};
}

}  // namespace ipuflow::ipu
