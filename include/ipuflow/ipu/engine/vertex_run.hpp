// SPDX-License-Identifier: BSL-1.0
// Runs the vertices of a compute set on the tiles' memories. A checked run lends each codelet a copy of its operands
// between guards: it may read only elements that were written, and change only its outputs.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/engine/tile_store.hpp>

#include <array>
#include <cstddef>
#include <cstring>

namespace ipuflow::ipu {

namespace impl {

/// A vertex with its operands found.
struct placed_vertex {
  std::size_t codelet = 0;
  const std::byte* fields = nullptr;
  std::size_t tile = 0;
  std::array<std::size_t, most_operands> variables{};
  std::array<placed_run, most_operands> runs{};
};

/// The vertices of a set that was laid out; operands that have come to it since have no memory.
template <class = void>
[[nodiscard]] inline light_vector<placed_vertex> placed_vertices(const graph& g, const compute_set& set,
                                                                 const memory_layout& layout) {
  throw_if(verify_operands(g, set));
  light_vector<placed_vertex> made;
  for (const vertex_group& group : set.groups) {
    for (std::size_t v = 0; v < group.tiles * group.per_tile; ++v) {
      placed_vertex vertex{group.codelet, group.fields.of(v), group.first_tile + v / group.per_tile, {}, {}};
      for (std::size_t o = 0; o < group.operands.size(); ++o) {
        vertex.variables[o] = group.operands[o].variable.index;
        vertex.runs[o] = place_of(g, group, group.operands[o], v);
        if (vertex.runs[o].length > 0 && !layout.has(vertex.variables[o], vertex.tile))
          throw_if(id_fault{id_wrong::added_later, vertex.variables[o], layout.always.size(), fixed_string<16>{"variable"}});
      }
      made.push_back(vertex);
    }
  }
  return made;
}

template <class = void>
inline void run_vertex(const graph& g, tile_store& store, const placed_vertex& vertex) {
  const codelet& c = g.codelets()[vertex.codelet];
  vertex_memory memory;
  memory.fields = vertex.fields;
  for (std::size_t o = 0; o < c.operands().size(); ++o) {
    memory.elements[o] = vertex.runs[o].length;
    memory.data[o] = vertex.runs[o].length == 0 ? nullptr : store.data(vertex.variables[o], vertex.runs[o]);
  }
  c.run(memory);
}

/// The same on copies between guards; throws what the codelet does wrong.
template <class = void>
inline void run_checked(const graph& g, tile_store& store, const placed_vertex& vertex) {
  constexpr std::size_t guard = 64;
  constexpr std::byte mark{0xa5};
  const codelet& c = g.codelets()[vertex.codelet];
  vertex_memory memory;
  memory.fields = vertex.fields;
  std::array<light_vector<std::byte>, most_operands> lent;
  for (std::size_t o = 0; o < c.operands().size(); ++o) {
    const placed_run& run = vertex.runs[o];
    const operand_kind& kind = c.operands()[o];
    if (kind.read && run.length > 0) store.check_written(c.name(), vertex.variables[o], run);
    const std::size_t size = run.length * size_of(kind.type);
    lent[o].assign(size + 2 * guard, mark);
    if (size > 0) std::memcpy(lent[o].data() + guard, store.data(vertex.variables[o], run), size);
    memory.elements[o] = run.length;
    memory.data[o] = lent[o].data() + guard;
  }
  c.run(memory);
  for (std::size_t o = 0; o < c.operands().size(); ++o) {
    const placed_run& run = vertex.runs[o];
    const std::size_t size = run.length * size_of(c.operands()[o].type);
    bool broken = false;
    for (std::size_t i = 0; i < guard; ++i) broken = broken || lent[o][i] != mark || lent[o][guard + size + i] != mark;
    if (size > 0 && !c.operands()[o].written) {
      broken = broken || std::memcmp(lent[o].data() + guard, store.data(vertex.variables[o], run), size) != 0;
    }
    if (broken) throw_if(program_fault{program_wrong::outside_span, o, 0, {c.name(), {}, vertex.tile}});
    if (size == 0 || !c.operands()[o].written) continue;
    std::memcpy(store.data(vertex.variables[o], run), lent[o].data() + guard, size);
    store.mark(vertex.variables[o], run);
  }
}

}  // namespace impl

}  // namespace ipuflow::ipu
