// SPDX-License-Identifier: BSL-1.0
// Checks a program before it runs. Faults are vertices whose operands are on another tile or of another type, two
// vertices of one compute set that meet in an element that one of them writes, copies that leave their variables,
// steps side by side that share a chip, collectives whose parts do not make a whole.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/ipu/program/graph.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

enum class program_wrong : unsigned char {
  nothing,
  operand_count,
  operand_type,
  foreign_memory,
  written_twice,
  race,
  copy_range,
  copy_type,
  shared_chip,
  sharding,
  ring_layout,
  ring_depth,
  ring_reader,
  ring_slot,
  remote_size,
  unwritten,
  outside_span,
  wrong_size,
  stream_dry,
  host_type,
  not_kept,
  no_replica
};

/// A place is a codelet or compute set, a variable, and a tile.
struct program_place {
  name_text name;
  name_text variable;
  std::size_t tile = 0;

  friend constexpr bool operator==(const program_place&, const program_place&) = default;
};

using program_fault = fault<program_wrong, program_place>;

template <class = void>
constexpr const char* wording(program_wrong wrong) {
  switch (wrong) {
    case program_wrong::nothing:
      break;
    case program_wrong::operand_count:
      return "ipuflow: codelet '{name}' takes {limit} operand{s}, a vertex on tile {tile} is given {got}; give one for each span";
    case program_wrong::operand_type:
      return "ipuflow: operand {got} of codelet '{name}' has another element type than '{other}'; use a codelet of the variable's type";
    case program_wrong::foreign_memory:
      return "ipuflow: a vertex of '{name}' on tile {tile} touches '{other}' on tile {got}; a tile has only its own memory, so copy the elements to "
             "it first";
    case program_wrong::written_twice:
      return "ipuflow: two vertices of compute set '{name}' write element {got} of '{other}'; let one vertex write it, or use two compute sets";
    case program_wrong::race:
      return "ipuflow: in compute set '{name}' one vertex writes element {got} of '{other}' and another reads it; use two compute sets";
    case program_wrong::copy_range:
      return "ipuflow: a copy touches element {got} of '{other}', which has {limit}; shorten the copy";
    case program_wrong::copy_type:
      return "ipuflow: a copy joins '{name}' and '{other}' of different element types; cast before you copy";
    case program_wrong::shared_chip:
      return "ipuflow: two steps that run in parallel both use chip {got}; put them in sequence, or on different chips";
    case program_wrong::sharding:
      return "ipuflow: the parts of '{name}' on all replicas have {got} element{s} but '{other}' has {limit}; make them equal";
    case program_wrong::ring_layout:
      return "ipuflow: ring '{name}' does not hold copies of what is mapped like '{other}'; push and pull variables of the layout and type that it "
             "was added for";
    case program_wrong::ring_depth:
      return "ipuflow: ring '{name}' has no slots for '{other}'; add it with a depth of at least {limit}";
    case program_wrong::ring_reader:
      return "ipuflow: reader {got} pulls '{other}' from ring '{name}', which has {limit} reader{s}; count them from 0, or add the ring "
             "with more";
    case program_wrong::ring_slot:
      return "ipuflow: ring '{name}' has {limit} slot{s}, but its lists name slot {got}; count them from 0, or add the ring with more";
    case program_wrong::remote_size:
      return "ipuflow: '{other}' has {got} element{s}, but there are {limit} in the remote buffer '{name}' that it goes to or comes from; make the buffer "
             "as large";
    case program_wrong::unwritten:
      return "ipuflow: '{name}' on tile {tile} reads element {got} of what it holds of '{other}', which was never written; fill the variable first";
    case program_wrong::outside_span:
      return "ipuflow: codelet '{name}' on tile {tile} changes memory outside its operand {got} or one that it only reads; keep to the spans that "
             "it is given";
    case program_wrong::wrong_size:
      return "ipuflow: the host gives or takes {got} element{s} of '{other}', which has {limit}; give all of them";
    case program_wrong::stream_dry:
      return "ipuflow: stream '{name}' has {got} byte{s} left for a transfer of {limit}; feed it before the run";
    case program_wrong::host_type:
      return "ipuflow: the host accesses '{other}' with elements of {got} byte{s}, it has elements of {limit}; use its type";
    case program_wrong::not_kept:
      return "ipuflow: '{other}' does not keep its contents to the end of a program; make it a variable, not a temporary";
    case program_wrong::no_replica:
      return "ipuflow: the host turns to replica {got} of an engine that has {limit}; count them from 0";
  }
  return "";
}

constexpr message_text sentence(const program_fault& f) {
  const auto name = f.where.name.view();
  const auto other = f.where.variable.view();
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"name", name}, {"tile", f.where.tile}, {"other", other}});
}

namespace impl {

/// The place of an operand of the vertex `number` of a group; its length is shorter than asked for if it is in several
/// pieces.
template <class = void>
[[nodiscard]] inline placed_run place_of(const graph& g, const vertex_group& group, const operand& o, std::size_t number) {
  const std::size_t tile = group.first_tile + number / group.per_tile;
  if (o.whole) return {tile, 0, g[o.variable].held(tile)};
  if (o.length == 0) return {tile, 0, 0};
  const std::size_t first = o.first + number * o.step;
  const std::size_t there = g[o.variable].elements();
  if (o.length > there || first > there - o.length) return {g.tiles(), 0, 0};
  return g[o.variable].at(first, o.length);
}

/// The first vertex whose operands are not what its codelet takes, in its tile's memory.
template <class = void>
inline program_fault verify_operands(const graph& g, const compute_set& set) {
  for (const vertex_group& group : set.groups) {
    const codelet& c = g.codelets()[group.codelet];
    program_place where{c.name(), {}, group.first_tile};
    if (group.operands.size() != c.operands().size()) {
      return {program_wrong::operand_count, group.operands.size(), c.operands().size(), where};
    }
    for (std::size_t o = 0; o < group.operands.size(); ++o) {
      const operand& given = group.operands[o];
      where.variable = g[given.variable].name();
      if (g[given.variable].type() != c.operands()[o].type) return {program_wrong::operand_type, o, 0, where};
      for (std::size_t v = 0; v < group.tiles * group.per_tile; ++v) {
        where.tile = group.first_tile + v / group.per_tile;
        const placed_run at = place_of(g, group, given, v);
        if (at.tile != where.tile) return {program_wrong::foreign_memory, at.tile, where.tile, where};
        if (given.whole || at.length == given.length) continue;
        const placed_run rest = g[given.variable].at(given.first + v * given.step + at.length, 1);
        return {program_wrong::foreign_memory, rest.tile, where.tile, where};
      }
    }
  }
  return {};
}

struct touched {
  std::size_t variable, tile, begin, end, vertex;
  bool written;
};

/// The first element that a vertex writes and another vertex of the set writes or reads.
template <class = void>
inline program_fault verify_disjoint(const graph& g, const compute_set& set) {
  light_vector<touched> all;
  std::size_t vertex = 0;
  for (const vertex_group& group : set.groups) {
    const auto& kinds = g.codelets()[group.codelet].operands();
    for (std::size_t v = 0; v < group.tiles * group.per_tile; ++v, ++vertex) {
      for (std::size_t o = 0; o < group.operands.size(); ++o) {
        const placed_run at = place_of(g, group, group.operands[o], v);
        if (at.length == 0) continue;
        all.push_back(
            {group.operands[o].variable.index, at.tile, at.local, at.local + at.length, vertex, kinds[o].written});
      }
    }
  }
  algorithms::sort(all.begin(), all.end(), [](const touched& a, const touched& b) {
    if (a.variable != b.variable) return a.variable < b.variable;
    if (a.tile != b.tile) return a.tile < b.tile;
    return a.begin < b.begin;
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = i + 1; k < all.size() && all[k].variable == all[i].variable && all[k].tile == all[i].tile &&
                                all[k].begin < all[i].end;
         ++k) {
      if (all[k].vertex == all[i].vertex || (!all[k].written && !all[i].written)) continue;
      const bool both = all[k].written && all[i].written;
      return {both ? program_wrong::written_twice : program_wrong::race, all[k].begin, 0,
              {set.name, g.variables()[all[i].variable].name(), all[i].tile}};
    }
  }
  return {};
}

/// The last element that runs touch, or the largest number if it is none.
[[nodiscard]] constexpr std::size_t last_of_runs(std::size_t begin, std::size_t length, std::size_t count, std::size_t step,
                                                 std::size_t copies = 1, std::size_t copy_step = 0) {
  std::size_t to_run = 0, to_copy = 0, last = 0;
  const bool wraps = __builtin_mul_overflow(count - 1, step, &to_run) ||
                     __builtin_mul_overflow(copies - 1, copy_step, &to_copy) ||
                     __builtin_add_overflow(to_run, to_copy, &last) || __builtin_add_overflow(last, begin, &last) ||
                     __builtin_add_overflow(last, length - 1, &last);
  return wraps ? static_cast<std::size_t>(-1) : last;
}

template <class = void>
inline program_fault verify_copy(const graph& g, const copy& checked) {
  for (const copy_piece& p : checked.pieces) {
    const variable& from = g[p.from.variable];
    const variable& to = g[p.to.variable];
    if (from.type() != to.type()) return {.kind = program_wrong::copy_type, .where = {from.name(), to.name(), 0}};
    if (p.length == 0 || p.count == 0 || p.copies == 0) continue;
    const std::size_t last_from = last_of_runs(p.from.begin, p.length, p.count, p.from.step);
    const std::size_t last_to = last_of_runs(p.to.begin, p.length, p.count, p.to.step, p.copies, p.copy_step);
    if (last_from >= from.elements())
      return {program_wrong::copy_range, last_from, from.elements(), {from.name(), from.name(), 0}};
    if (last_to >= to.elements()) return {program_wrong::copy_range, last_to, to.elements(), {to.name(), to.name(), 0}};
  }
  return {};
}

/// A ring has to have slots for the variable that is pushed or pulled, and as many readers as pull; a push has none.
template <class = void>
inline program_fault verify_ring(const graph& g, ring_id id, variable_id moved, std::size_t readers = 0) {
  const variable_ring& r = g.rings()[id.index];
  const variable& slots = g[r.slots];
  const variable& given = g[moved];
  const program_place where{r.away ? g.remotes()[r.buffer.index].name : slots.name(), given.name(), 0};
  if (r.depth == 0) return {program_wrong::ring_depth, 0, 1, where};
  if (given.type() != slots.type() || given.map() != slots.map()) return {.kind = program_wrong::ring_layout, .where = where};
  if (readers > r.pulls.size()) return {program_wrong::ring_reader, readers - 1, r.pulls.size(), where};
  if (!r.pulls_of_run.empty() && readers > r.pulls_of_run.size())
    return {program_wrong::ring_reader, readers - 1, r.pulls_of_run.size(), where};
  if (r.away && g.remotes()[r.buffer.index].elements / r.depth < given.elements())
    return {program_wrong::remote_size, given.elements(), g.remotes()[r.buffer.index].elements / r.depth, where};
  const light_vector<std::uint32_t>& slots_named = readers == 0 ? r.pushes : r.pulls[readers - 1];
  for (const std::uint32_t slot : slots_named) {
    if (slot >= r.depth) return {program_wrong::ring_slot, slot, r.depth, where};
  }
  return {};
}

/// A variable goes to a buffer, or comes from one, that has room for all of it.
template <class = void>
inline program_fault verify_remote(const graph& g, remote_id id, variable_id moved) {
  const auto& buffer = g.remotes()[id.index];
  const variable& given = g[moved];
  const program_place where{buffer.name, given.name(), 0};
  if (given.type() != buffer.type) return {.kind = program_wrong::copy_type, .where = where};
  if (given.elements() > buffer.elements) return {program_wrong::remote_size, given.elements(), buffer.elements, where};
  return {};
}

}  // namespace impl

}  // namespace ipuflow::ipu
