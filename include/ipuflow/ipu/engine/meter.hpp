// SPDX-License-Identifier: BSL-1.0
// Adds up what steps cost, for both engines: a step that runs many times is counted once and multiplied. A sync stands
// before each exchange and before each compute set that no exchange precedes: that is a superstep.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/memo.hpp>
#include <ipuflow/ipu/cost/step_cost.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

namespace impl {

/// Adds up what steps cost; keeps the cost of each step that it has seen.
template <class = void>
class basic_meter {
 public:
  explicit basic_meter(placement_on on) : on_{on}, change_(on.g.tiles() + 1, 0) { seen_.chips.resize(on.g.chips()); }

  /// One step that is not made of others, run `times` times. `exchanged`: an exchange stands right before it.
  cycles leaf(const step& s, std::uint64_t times, bool& exchanged) {
    const leaf_cost& cost = cost_of(s);
    const bool syncs = syncs_before(cost, exchanged);
    for (const auto& [chip, p] : cost.chips) {
      seen_.chips[chip].add(p, times);
      if (syncs) seen_.chips[chip][phase::sync] += on_.all.chip.sync * times;
    }
    count_work(cost, times);
    exchanged = cost.synchronises;
    return cost.elapsed + (syncs ? on_.all.chip.sync : cycles{});
  }

  /// The same beside everything else that its chips do: what it moves is counted, its cycles are in no phase.
  cycles beside(const step& s, std::uint64_t times) {
    const leaf_cost& cost = cost_of(s);
    for (const auto& [chip, p] : cost.chips) {
      chip_profile hidden = p;
      hidden.by_phase = {};
      seen_.chips[chip].add(hidden, times);
    }
    count_work(cost, times);
    return cost.elapsed + (cost.synchronises || cost.computes ? on_.all.chip.sync : cycles{});
  }

  static bool syncs_before(const leaf_cost& cost, bool exchanged) { return cost.synchronises || (cost.computes && !exchanged); }

  /// Notes the phases of a chip in a leaf that was counted: a sync, if there is one, what moves, and what is computed.
  void note(const leaf_cost& cost, std::size_t part, bool syncs, cycles begin, light_vector<phase_run>& to) const {
    const auto& [chip, p] = cost.chips[part];
    const auto add = [&](phase what, cycles length) {
      if (length.value == 0) return;
      to.push_back({.chip = chip, .what = what, .begin = begin, .length = length});
      begin += length;
    };
    add(phase::sync, p[phase::sync] + (syncs ? on_.all.chip.sync : cycles{}));
    for (const phase moves : {phase::host, phase::streaming, phase::inter_chip, phase::exchange}) add(moves, p[moves]);
    add(phase::compute, p[phase::compute]);
    if (!cost.computes || cost.codelets.empty() || p[phase::compute].value == 0) return;
    to.back().tile_busy = p.tile_busy;
    to.back().codelet = place_of(cost.codelets[0]);
  }

  const leaf_cost& cost_of(const step& s) {
    if (const leaf_cost* const found = known_.find(&s)) return *found;
    return known_.try_emplace(&s, cost_of_leaf(on_, s)).first->second;
  }

  /// A chip waits for something of that phase, in each of `times` runs.
  void wait(std::size_t chip, phase of, cycles by, std::uint64_t times) { seen_.chips[chip][of] += by * times; }
  /// The chips of a transfer wait for the host.
  void wait_for_host(const step& s, cycles by, std::uint64_t times) {
    for (const auto& [chip, p] : cost_of(s).chips) wait(chip, phase::host, by, times);
  }

  [[nodiscard]] const chip_system& system() const { return on_.all; }
  [[nodiscard]] hertz clock() const { return on_.all.chip.clock; }

  /// Takes what was added from `before` to `after`, and runs beside compute, out of the account, up to `by` cycles a
  /// run.
  void hide(const light_vector<chip_profile>& before, const light_vector<chip_profile>& after, cycles by,
            std::uint64_t times) {
    for (std::size_t c = 0; c < before.size(); ++c) hide(c, before, after, by, times);
  }
  /// The same of one chip.
  void hide(std::size_t c, const light_vector<chip_profile>& before, const light_vector<chip_profile>& after, cycles by,
            std::uint64_t times) {
    cycles left = by * times;
    for (const phase p : {phase::host, phase::streaming, phase::inter_chip, phase::exchange, phase::sync}) {
      const cycles added = after[c][p] - before[c][p];
      const cycles hidden = algorithms::min(added, left);
      seen_.chips[c][p] -= hidden;
      left -= hidden;
    }
  }

  [[nodiscard]] const light_vector<chip_profile>& chips() const { return seen_.chips; }

  /// Forgets what it has seen, but for what steps cost.
  void begin_again() {
    seen_ = {};
    seen_.chips.resize(on_.g.chips());
    algorithms::fill(change_.begin(), change_.end(), std::uint64_t{0});
  }

  profile finish(cycles total) {
    seen_.total = total;
    seen_.clock = on_.all.chip.clock;
    seen_.tiles_per_chip = on_.g.chip().tiles;
    seen_.tile_memory = on_.g.chip().tile_memory;
    seen_.replicas = on_.replicas;
    seen_.tile_busy.assign(on_.g.tiles(), cycles{});
    std::uint64_t now = 0;
    for (std::size_t t = 0; t < on_.g.tiles(); ++t) seen_.tile_busy[t] = {now += change_[t]};
    return seen_;
  }

 private:
  /// All that is the same whether the cycles are those of a phase or not.
  void count_work(const leaf_cost& cost, std::uint64_t times) {
    for (const auto& [chip, p] : cost.chips) {
      if (cost.computes) seen_.chips[chip].supersteps += times;
    }
    for (const tile_range& r : cost.tiles) {
      change_[r.first] += r.busy.value * times;  // wraps around on purpose: only sums are read
      change_[r.first + r.count] -= r.busy.value * times;
    }
    for (const codelet_profile& c : cost.codelets) count(c, times);
  }

  void count(const codelet_profile& added, std::uint64_t times) {
    const std::size_t place = place_of(added);
    if (place == seen_.codelets.size()) seen_.codelets.push_back({.name = added.name, .alone = {}});
    codelet_profile& all = seen_.codelets[place];
    all.vertices += added.vertices * times;
    all.alone += added.alone * times;
    all.flops += added.flops * times;
    all.code = algorithms::max(all.code, added.code);
  }
  [[nodiscard]] std::size_t place_of(const codelet_profile& codelet) const {
    std::size_t place = 0;
    while (place < seen_.codelets.size() && seen_.codelets[place].name != codelet.name) ++place;
    return place;
  }

  placement_on on_;
  memo<const step*, leaf_cost> known_;
  light_vector<std::uint64_t> change_;  // of tile_busy, from each tile to the next
  profile seen_;
};
using meter = basic_meter<>;

}  // namespace impl

}  // namespace ipuflow::ipu
