// SPDX-License-Identifier: BSL-1.0
// The bytes of a program on tiles besides variables: the code of codelets (once per tile, however many vertices run
// it), the state of vertices, exchange code, control code, stacks. Sizes that the vendor's compiler decides are
// assumptions, named here and in docs/chips.md.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/cost/copy_memo.hpp>
#include <ipuflow/ipu/program/graph.hpp>
#include <ipuflow/ipu/program/memory_report.hpp>
#include <ipuflow/ipu/program/step_kind.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace ipuflow::ipu {

namespace impl {

/// Of each step, on the chips that take part: load an address, run and sync, four bytes each. The profile of a BERT-large layer
/// (rows B) has 12 to 13 for each of its steps.
inline constexpr std::size_t control_code_of_step = 12;
inline constexpr std::size_t control_code_of_call = 4;  // one instruction, `call` with an address, and no sync [Tile Vertex ISA]
inline constexpr std::size_t place_in_ring = 4;         // bytes of a counter, of the pushes and of each reader
inline constexpr std::size_t stack_of_worker = 128;     // bytes, on tiles that have vertices

/// Adds up what the steps of a program put on tiles besides variables; each step and function stands there once. What
/// equal tiles of a group get is added at its ends only, and spread over the tiles by `finish`.
template <class = void>
class basic_code_walk {
 public:
  basic_code_walk(const graph& g, memory_report& report)
      : g_{g},
        report_{report},
        copies_{g},
        functions_(g.functions().size()),
        counted_rings_(g.rings().size(), false),
        state_(g.tiles() + 1, 0),
        vertices_(g.tiles() + 1, 0),
        control_(g.chips(), 0) {
    report.operations.resize(1 + g.operations().size());
    for (std::size_t o = 0; o < g.operations().size(); ++o) report.operations[o + 1].name = g.operations()[o];
  }

  void operator()(const step& s) { count(s); }

  /// The costs of all copies that were met, for the count of cycles that follows.
  copy_memo take_copies() {
    copies_.finish();
    return std::move(copies_);
  }

  void finish() {
    std::int64_t state = 0;
    std::int64_t groups = 0;
    for (std::size_t t = 0; t < report_.tiles.size(); ++t) {
      tile_memory& tile = report_.tiles[t];
      tile[memory_category::vertex_state] += static_cast<std::uint32_t>(state += state_[t]);
      groups += vertices_[t];
      if (groups > 0)
        tile[memory_category::stack] = static_cast<std::uint32_t>(stack_of_worker * (g_.chip().workers + 1));
      tile[memory_category::control_code] += static_cast<std::uint32_t>(control_[t / g_.chip().tiles]);
    }
  }

 private:
  using range = light_pair<std::size_t, std::size_t>;
  using chip_set = light_vector<bool>;
  struct placed_code {
    light_vector<bool> on;       // tiles that have it
    light_vector<range> ranges;  // on which all have it
  };
  struct used_on {
    std::size_t size = 0;
    light_vector<bool> on{};  // tiles that run it
  };
  using used_code = flat_map<std::string_view, used_on>;

  /// Returns the chips that take part in a step: its control code is on their tiles.
  chip_set count(const step& s) {
    chip_set on(g_.chips(), false);
    const auto* const named = s.get_if<label_of>();
    if (named != nullptr && named->is_operation) return count_operation(*named);
    for_each_inner(s, [&](const step& inner) { add(on, count(inner)); });
    visit_kind(s, [&]<class Kind>(const Kind& kind) {
      if constexpr (!made_of_steps<Kind>) count(kind, on);
    });
    if (!is_made_of_steps(s) || s.is<repeat_of>()) {
      const std::size_t size = s.is<call>() ? control_code_of_call : control_code_of_step;
      for (std::size_t c = 0; c < on.size(); ++c) {
        control_[c] += on[c] ? size : 0u;
        note(memory_category::control_code, on[c] ? size * g_.chip().tiles : 0u);
      }
    }
    return on;
  }

  chip_set count_operation(const label_of& s) {
    const std::size_t outer = algorithms::exchange(here_, s.label + 1);
    used_code outside = algorithms::exchange(used_, {});
    operation_memory& mine = report_.operations[here_];
    if (mine.within == 0) mine.within = outer;
    chip_set on(g_.chips(), false);
    for (const step& inner : s.steps) add(on, count(inner));
    std::uint64_t used = 0;
    for (const auto& [name, code] : used_) {
      used_on& wider = outside[name];
      wider.size = code.size;
      wider.on.resize(report_.tiles.size(), false);
      for (std::size_t t = 0; t < code.on.size(); ++t) {
        used += code.on[t] ? code.size : 0u;
        wider.on[t] = wider.on[t] || code.on[t];
      }
    }
    mine.code_used = algorithms::max(mine.code_used, used);
    used_ = std::move(outside);
    here_ = outer;
    return on;
  }

  /// Of the operation in which the walk is.
  void note(memory_category c, std::size_t size) { report_.operations[here_].by_category[static_cast<std::size_t>(c)] += size; }

  void count(const call& s, chip_set& on) {
    const std::size_t f = s.function.index;
    if (functions_[f].empty()) functions_[f] = count(g_.functions()[f]);
    add(on, functions_[f]);
  }
  void count(const execute& s, chip_set& on) {
    for (const vertex_group& group : g_.compute_sets()[s.set.index].groups) {
      count(group);
      add(on, group.first_tile, group.tiles);
    }
  }
  void count(const copy& s, chip_set& on) { count_copy(copies_.of(s), on); }
  void count(const synchronise&, chip_set& on) { on.assign(on.size(), true); }
  void count(const all_gather& s, chip_set& on) { add(on, s.shard); }
  void count(const reduce_scatter& s, chip_set& on) { add(on, s.whole); }
  template <transfer_step Transfer>
  void count(const Transfer& s, chip_set& on) {
    add(on, s.variable);
    if constexpr (requires { s.ring; }) count_ring(s.ring.index);
  }

  static void add(chip_set& on, const chip_set& more) {
    for (std::size_t c = 0; c < more.size(); ++c) on[c] = on[c] || more[c];
  }
  void add(chip_set& on, std::size_t first_tile, std::size_t tiles) const {
    for (std::size_t t = first_tile; t < first_tile + tiles; t += g_.chip().tiles) on[t / g_.chip().tiles] = true;
    if (tiles > 0) on[(first_tile + tiles - 1) / g_.chip().tiles] = true;
  }
  void add(chip_set& on, variable_id v) const {
    for (const mapped_interval& i : g_[v].map()) add(on, i.tile, 1);
  }

  void count_copy(const known_copy& known, chip_set& on) {
    for (const auto& [chip, cost] : known.cost->chips) on[known.chip(chip)] = true;
    for (const chip_transfer& t : known.cost->transfers) on[known.chip(t.from)] = on[known.chip(t.to)] = true;
    const std::size_t first = known.chip(known.cost->code_from / g_.chip().tiles) * g_.chip().tiles;
    for (std::size_t t = 0; t < known.cost->code_bytes.size(); ++t) {
      report_.tiles[first + t][memory_category::exchange_code] += known.cost->code_bytes[t];
      note(memory_category::exchange_code, known.cost->code_bytes[t]);
    }
  }

  void count(const vertex_group& group) {
    const codelet& c = g_.codelets()[group.codelet];
    const range here{group.first_tile, group.first_tile + group.tiles};
    const auto state = static_cast<std::int64_t>(c.state().value * group.per_tile);
    state_[here.first] += state;
    state_[here.second] -= state;
    note(memory_category::vertex_state, c.state().value * group.per_tile * group.tiles);
    ++vertices_[here.first];
    --vertices_[here.second];
    if (here_ != 0) {
      used_on& used = used_[c.name().view()];
      used.size = c.code().value;
      used.on.resize(report_.tiles.size(), false);
      for (std::size_t t = here.first; t < here.second; ++t) used.on[t] = true;
    }
    placed_code& code = code_[c.name().view()];
    for (const range& r : code.ranges) {
      if (r.first <= here.first && here.second <= r.second) return;
    }
    if (group.tiles > 1) code.ranges.push_back(here);
    code.on.resize(report_.tiles.size(), false);
    for (std::size_t t = here.first; t < here.second; ++t) {
      if (code.on[t]) continue;
      report_.tiles[t][memory_category::vertex_code] += static_cast<std::uint32_t>(c.code().value);
      note(memory_category::vertex_code, c.code().value);
      code.on[t] = true;
    }
  }

  /// Each of its tiles knows the next slot of the pushes and of each reader, and the lists of slots if there are any.
  void count_ring(std::size_t index) {
    if (counted_rings_[index]) return;
    counted_rings_[index] = true;
    const variable_ring& r = g_.rings()[index];
    const std::size_t size = place_in_ring * (1 + r.pulls.size()) + variable_ring::listed_slot * r.listed();
    for (const auto& [tile, held] : g_[r.slots].tiles()) {
      report_.tiles[tile][memory_category::vertex_state] += static_cast<std::uint32_t>(size);
      note(memory_category::vertex_state, size);
    }
  }

  const graph& g_;
  memory_report& report_;
  copy_memo copies_;
  std::size_t here_ = 0;              // the operation of the step that is counted
  used_code used_;                    // by that operation
  light_vector<chip_set> functions_;  // that were counted
  light_vector<bool> counted_rings_;
  flat_map<std::string_view, placed_code> code_;
  light_vector<std::int64_t> state_;     // bytes, from each tile to the next
  light_vector<std::int64_t> vertices_;  // groups, likewise
  light_vector<std::size_t> control_;    // bytes on the tiles of each chip
};
using code_walk = basic_code_walk<>;

}  // namespace impl

}  // namespace ipuflow::ipu
