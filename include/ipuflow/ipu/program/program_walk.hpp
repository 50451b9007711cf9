// SPDX-License-Identifier: BSL-1.0
// The checks of program_check.hpp for every step of a program, and for steps that stand side by side.
#pragma once

#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/ipu/program/liveness.hpp>
#include <ipuflow/ipu/program/program_check.hpp>
#include <ipuflow/ipu/program/step_kind.hpp>

#include <cstddef>

namespace ipuflow::ipu {

namespace impl {

/// Chips whose tiles a step uses.
template <class = void>
inline flat_set<std::size_t> chips_of(const graph& g, const step& s) {
  flat_set<std::size_t> made;
  if (const auto* const called = s.get_if<call>()) return chips_of(g, g.functions()[called->function.index]);
  for_each_inner(s, [&](const step& inner) { made.merge(chips_of(g, inner)); });
  const std::size_t per_chip = g.chip().tiles;
  if (const auto* const executed = s.get_if<execute>()) {
    for (const vertex_group& group : g.compute_sets()[executed->set.index].groups) {
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

/// Checks what a step is made of, then the step itself. Without `vertices` it checks what steps move alone, and not what
/// functions do.
template <class = void>
struct program_check {
  const graph& g;
  std::size_t replicas;
  bool vertices = true;

  program_fault of(const step& s) const {
    program_fault found;
    for_each_inner(s, [&](const step& inner) {
      if (!found) found = of(inner);
    });
    return found ? found : visit_kind(s, *this);
  }

  program_fault operator()(const call& s) const { return vertices ? of(g.functions()[s.function.index]) : program_fault{}; }
  program_fault operator()(const execute& s) const {
    if (!vertices) return {};
    const compute_set& set = g.compute_sets()[s.set.index];
    const program_fault found = verify_operands(g, set);
    return found ? found : verify_disjoint(g, set);
  }
  program_fault operator()(const copy& s) const { return verify_copy(g, s); }
  program_fault operator()(const push& s) const { return verify_ring(g, s.ring, s.variable); }
  program_fault operator()(const pull& s) const { return verify_ring(g, s.ring, s.variable, s.reader + 1); }
  program_fault operator()(const load& s) const { return verify_remote(g, s.buffer, s.variable); }
  program_fault operator()(const store& s) const { return verify_remote(g, s.buffer, s.variable); }
  program_fault operator()(const all_gather& s) const { return shards(s.shard, s.whole); }
  program_fault operator()(const reduce_scatter& s) const { return shards(s.shard, s.whole); }
  program_fault operator()(const parallel_of& s) const {
    flat_set<std::size_t> busy;
    if (!vertices) return {};
    for (const step& inner : s.steps) {
      for (const std::size_t chip : chips_of(g, inner)) {
        if (!busy.insert(chip)) return {program_wrong::shared_chip, chip};
      }
    }
    return {};
  }
  program_fault operator()(const synchronise&) const { return {}; }
  template <transfer_step Kind>
  program_fault operator()(const Kind&) const { return {}; }
  template <made_of_steps Kind>
  program_fault operator()(const Kind&) const { return {}; }

 private:
  program_fault shards(variable_id part, variable_id all) const {
    const std::size_t elements = g[part].elements() * replicas;
    if (elements == g[all].elements()) return {};
    return {program_wrong::sharding, elements, g[all].elements(), {g[part].name(), g[all].name(), 0}};
  }
};

/// The first thing in a step that its graph does not have; functions are only asked for.
template <class = void>
struct id_check {
  const graph& g;
  std::size_t functions;  // that may be called

  id_fault of(const step& s) const {
    id_fault found = visit_kind(s, *this);
    for_each_inner(s, [&](const step& inner) {
      if (!found) found = of(inner);
    });
    return found;
  }

  id_fault operator()(const call& s) const { return verify_id(s.function.index, functions, "function"); }
  id_fault operator()(const execute& s) const { return verify_id(s.set.index, g.compute_sets().size(), "compute set"); }
  id_fault operator()(const copy& s) const {
    for (const copy_piece& p : s.pieces) {
      if (const id_fault found = both(p.from.variable, p.to.variable)) return found;
    }
    return {};
  }
  id_fault operator()(const all_gather& s) const { return both(s.shard, s.whole); }
  id_fault operator()(const reduce_scatter& s) const { return both(s.shard, s.whole); }
  id_fault operator()(const synchronise&) const { return {}; }
  id_fault operator()(const label_of& s) const {
    return s.is_operation ? verify_id(s.label, g.operations().size(), "operation") : id_fault{};
  }
  template <transfer_step Kind>
  id_fault operator()(const Kind& s) const {
    id_fault other;
    if constexpr (requires { s.ring; }) other = verify_id(s.ring.index, g.rings().size(), "ring");
    if constexpr (requires { s.stream; }) other = verify_id(s.stream.index, g.streams().size(), "stream");
    if constexpr (requires { s.buffer; }) other = verify_id(s.buffer.index, g.remotes().size(), "remote buffer");
    return other ? other : both(s.variable, s.variable);
  }
  template <made_of_steps Kind>
  id_fault operator()(const Kind&) const { return {}; }

 private:
  id_fault both(variable_id a, variable_id b) const {
    return verify_id(a.index > b.index ? a.index : b.index, g.variables().size(), "variable");
  }
};

}  // namespace impl

/// The first thing of a program that the graph does not have: it was made for another one. A function calls those that
/// there were when it was added, so that none ends up in itself.
template <class = void>
id_fault verify_ids(const graph& g, const step& program) {
  id_fault found = impl::id_check<>{g, g.functions().size()}.of(program);
  for (std::size_t f = 0; f < g.functions().size(); ++f) {
    if (!found) found = impl::id_check<>{g, f}.of(g.functions()[f]);
  }
  return found;
}

/// The first copy, ring, buffer or collective that reaches beyond what it moves: a run of it would use memory of something
/// else. Each function is looked at once.
template <class = void>
program_fault verify_moves(const graph& g, const step& program, std::size_t replicas = 1) {
  const impl::program_check<> check{g, replicas, false};
  program_fault found = check.of(program);
  for (const step& body : g.functions()) {
    if (!found) found = check.of(body);
  }
  return found;
}

/// The first thing that the program may not do, as far as it shows without running it.
template <class = void>
inline program_fault verify_program(const graph& g, const step& s, std::size_t replicas = 1) {
  return impl::program_check<>{g, replicas}.of(s);
}

}  // namespace ipuflow::ipu
