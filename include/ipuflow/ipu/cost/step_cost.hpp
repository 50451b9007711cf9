// SPDX-License-Identifier: BSL-1.0
// The cost of one elementary step: the single source of cycles for both engines. Compute ends with its slowest tile;
// an exchange is as long as its busiest bus; links, host and streaming memory have their own rates; chips that take
// part in the same transfer wait for each other.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/cost/collectives.hpp>
#include <ipuflow/ipu/cost/compute_cost.hpp>
#include <ipuflow/ipu/cost/copy_memo.hpp>
#include <ipuflow/ipu/engine/profile.hpp>
#include <ipuflow/ipu/machine/shortest_order.hpp>
#include <ipuflow/ipu/program/program_check.hpp>
#include <ipuflow/ipu/program/step_kind.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::ipu {

namespace impl {

struct leaf_cost {
  cycles elapsed;
  bool synchronises = false;  // before it begins, or as part of it
  bool computes = false;
  light_vector<light_pair<std::size_t, chip_profile>> chips;
  light_vector<tile_range> tiles;
  light_vector<codelet_profile> codelets;  // the one that takes most cycles is the first
  light_vector<chip_transfer> transfers;  // for which chips wait for each other
};

/// The system and how the program is spread over it.
struct placement_on {
  const chip_system& all;
  const graph& g;
  std::size_t replicas = 1;
  copy_memo* copies = nullptr;  // what is known of copies
};

/// Chips that hold a variable, with the bytes there.
template <class = void>
inline flat_map<std::size_t, std::uint64_t> bytes_by_chip(const graph& g, variable_id id) {
  flat_map<std::size_t, std::uint64_t> made;
  for (const auto& [tile, held] : g[id].tiles()) made[tile / g.chip().tiles] += held * size_of(g[id].type());
  return made;
}

template <class = void>
inline leaf_cost cost_of_execute(const graph& g, const compute_set& set) {
  leaf_cost made;
  made.computes = true;
  const light_vector<costed_group> groups = costed(g, set);
  made.tiles = tile_costs(g, groups);
  const std::size_t per_chip = g.chip().tiles;
  flat_map<std::size_t, chip_profile> chips;
  for (const tile_range& r : made.tiles) {
    for (std::size_t first = r.first; first < r.first + r.count;) {
      const std::size_t end = algorithms::min(r.first + r.count, (first / per_chip + 1) * per_chip);
      chip_profile& chip = chips[first / per_chip];
      chip[phase::compute] = algorithms::max(chip[phase::compute], r.busy);
      chip.tile_busy += r.busy * (end - first);
      chip.tile_issued += r.issued * (end - first);
      chip.flops += r.flops * (end - first);
      chip.vertices += r.vertices * (end - first);
      first = end;
    }
    made.elapsed = algorithms::max(made.elapsed, r.busy);
  }
  for (const auto& [chip, profile] : chips) made.chips.emplace_back(chip, profile);
  flat_map<std::size_t, std::size_t> listed;  // codelets: where they are in the list
  for (const costed_group& c : groups) {
    const auto [place, added] = listed.try_emplace(c.codelet, made.codelets.size());
    if (added) made.codelets.push_back({.name = g.codelets()[c.codelet].name(), .alone = {}, .code = g.codelets()[c.codelet].code()});
    codelet_profile& all = made.codelets[place->second];
    const std::uint64_t vertices = c.count * c.per_tile;
    all.vertices += vertices;
    all.alone += alone(c.cost, g.chip()) * vertices;
    all.flops += c.cost.flops * vertices;
  }
  const auto most = algorithms::max_element(made.codelets.begin(), made.codelets.end(), [](const auto& a, const auto& b) { return a.alone < b.alone; });
  if (most != made.codelets.end()) algorithms::swap(*most, made.codelets.front());
  return made;
}

template <class = void>
inline leaf_cost cost_of_exchange(const placement_on& on, const copy& s) {
  leaf_cost made;
  const known_copy known = on.copies == nullptr ? copy_memo(on.g).of(s) : on.copies->of(s);
  flat_map<std::size_t, chip_profile> chips;
  for (const auto& [worked_out, c] : known.cost->chips) {
    chip_profile& chip = chips[known.chip(worked_out)];
    chip[phase::compute] = c.local;
    chip[phase::exchange] = c.exchange;
    chip.moved.exchanged = c.exchanged;
    made.elapsed = algorithms::max(made.elapsed, c.local + c.exchange);
    if (c.exchange.value > 0) made.synchronises = true;
  }
  light_vector<chip_transfer> transfers = known.cost->transfers;
  for (chip_transfer& t : transfers) t = {known.chip(t.from), known.chip(t.to), t.size};
  light_vector<chip_transfer> on_ladder;
  for (const chip_transfer& t : transfers)
    on_ladder.push_back({place_of(on.all.order, t.from, on.g.chips()), place_of(on.all.order, t.to, on.g.chips()), t.size});
  const cycles between = transfer_time(racks_of(on.all, on.g.chips()), on_ladder);
  flat_set<std::size_t> taking_part;
  for (const chip_transfer& t : transfers) {
    chips[t.from].moved.chip_out += t.size.value;
    chips[t.to].moved.chip_in += t.size.value;
    taking_part.insert(t.from);
    taking_part.insert(t.to);
  }
  for (const std::size_t chip : taking_part) chips[chip][phase::inter_chip] = between;
  made.elapsed += between;
  for (const auto& [chip, profile] : chips) made.chips.emplace_back(chip, profile);
  made.transfers = std::move(on_ladder);
  return made;
}

/// Between the host and tiles: the chips of a machine share its port. What the host has not made ready is waited for before.
template <class = void>
inline leaf_cost cost_of_stream(const placement_on& on, variable_id moved, bool inwards) {
  leaf_cost made;
  const auto parts = bytes_by_chip(on.g, moved);
  const std::size_t replicas_here =
      algorithms::min(on.replicas, algorithms::max<std::size_t>(1, on.all.chips_per_machine / on.g.chips()));
  std::uint64_t all = 0;
  for (const auto& [chip, size] : parts) all += size;
  made.elapsed = host_time(on.all, {all}, replicas_here);
  for (const auto& [chip, size] : parts) {
    chip_profile p;
    p[phase::host] = made.elapsed;
    (inwards ? p.moved.host_in : p.moved.host_out) = size;
    made.chips.emplace_back(chip, p);
  }
  return made;
}

/// Into a slot of a ring, or out of it, on every tile at once: a copy within the tile, once its supervisor has worked
/// out where the slot is.
template <class = void>
inline leaf_cost cost_of_slot(const graph& g, variable_id moved) {
  constexpr std::size_t counted = 48;  // cycles of eight instructions of a supervisor [assumed]
  leaf_cost made;
  flat_map<std::size_t, std::size_t> most;  // elements on a tile of each chip
  for (const auto& [tile, held] : g[moved].tiles()) {
    std::size_t& on_chip = most[tile / g.chip().tiles];
    on_chip = algorithms::max(on_chip, held);
  }
  for (const auto& [chip, held] : most) {
    vertex_cost cost = local_copy_cost(g.chip(), {held * size_of(g[moved].type())});
    cost.supervisor += counted;
    chip_profile p;
    p[phase::compute] = alone(cost, g.chip());
    made.elapsed = algorithms::max(made.elapsed, p[phase::compute]);
    made.chips.emplace_back(chip, p);
  }
  return made;
}

/// Between streaming memory and tiles, with a sync of the chip before it.
template <class = void>
inline leaf_cost cost_of_remote(const placement_on& on, variable_id moved, bool loads) {
  leaf_cost made;
  const auto parts = bytes_by_chip(on.g, moved);
  const std::size_t chips_here = algorithms::min(on.replicas * on.g.chips(), on.all.chips_per_machine);
  for (const auto& [chip, size] : parts) {
    const std::size_t sharing = algorithms::max(parts.size(), chips_here);
    chip_profile p;
    p[phase::streaming] = on.all.chip.sync + streaming_time(on.all, {size}, sharing);
    (loads ? p.moved.streaming_in : p.moved.streaming_out) = size;
    made.elapsed = algorithms::max(made.elapsed, p[phase::streaming]);
    made.chips.emplace_back(chip, p);
  }
  return made;
}

/// One that goes on where another ended is a part of it: together they take what one of all their bytes takes.
template <class = void>
inline leaf_cost cost_of_collective(const placement_on& on, variable_id full, std::size_t passes, bytes before) {
  leaf_cost made;
  for (const auto& [chip, size] : bytes_by_chip(on.g, full)) {
    chip_profile p;
    const auto time = [&](bytes of) { return ring_time(on.all, of, on.replicas, on.g.chips(), passes); };
    p[phase::inter_chip] = before.value == 0 ? time({size}) : time(before + bytes{size}) - time(before);
    const std::uint64_t moved = passes * (on.replicas - 1) * size / on.replicas;
    p.moved.chip_out = p.moved.chip_in = moved;
    made.elapsed = algorithms::max(made.elapsed, p[phase::inter_chip]);
    made.chips.emplace_back(chip, p);
  }
  return made;
}

/// The costs of each kind of leaf.
template <class = void>
struct leaf_costs {
  const placement_on& on;

  leaf_cost operator()(const execute& s) const { return cost_of_execute(on.g, on.g.compute_sets()[s.set.index]); }
  leaf_cost operator()(const copy& s) const { return cost_of_exchange(on, s); }
  leaf_cost operator()(const push& s) const { return of_ring(s.ring, s.variable, false); }
  leaf_cost operator()(const pull& s) const { return of_ring(s.ring, s.variable, true); }
  leaf_cost operator()(const stream_in& s) const { return cost_of_stream(on, s.variable, true); }
  leaf_cost operator()(const stream_out& s) const { return cost_of_stream(on, s.variable, false); }
  leaf_cost operator()(const load& s) const { return cost_of_remote(on, s.variable, true); }
  leaf_cost operator()(const store& s) const { return cost_of_remote(on, s.variable, false); }
  leaf_cost operator()(const all_reduce& s) const { return cost_of_collective(on, s.variable, 2, s.before); }
  leaf_cost operator()(const all_gather& s) const { return cost_of_collective(on, s.whole, 1, s.before); }
  leaf_cost operator()(const reduce_scatter& s) const { return cost_of_collective(on, s.whole, 1, s.before); }
  leaf_cost operator()(const synchronise&) const {
    leaf_cost made;
    made.elapsed = on.all.chip.global_sync;
    for (std::size_t chip = 0; chip < on.g.chips(); ++chip) {
      chip_profile p;
      p[phase::sync] = made.elapsed;
      made.chips.emplace_back(chip, p);
    }
    return made;
  }

 private:
  leaf_cost of_ring(ring_id id, variable_id moved, bool loads) const {
    throw_if(verify_ring(on.g, id, moved));
    return on.g.rings()[id.index].away ? cost_of_remote(on, moved, loads) : cost_of_slot(on.g, moved);
  }
};

/// Of a step that is not made of others; any other costs nothing by itself.
template <class = void>
inline leaf_cost cost_of_leaf(const placement_on& on, const step& s) {
  return visit_kind(s, [&]<class Kind>(const Kind& kind) -> leaf_cost {
    if constexpr (leaf_step<Kind>)
      return leaf_costs<>{on}(kind);
    else
      return {};
  });
}

}  // namespace impl

}  // namespace ipuflow::ipu
