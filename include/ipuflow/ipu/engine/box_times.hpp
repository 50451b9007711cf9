// SPDX-License-Identifier: BSL-1.0
// The places on I/O tiles in time: when one is filled, and when it may be filled again because what was in it has been read.
// A step that uses such places waits for nothing else there, so I/O tiles work ahead as far as their places allow. Places that
// share memory wait for each other; what stands in streaming memory is such a place, too.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/ipu/engine/profile.hpp>
#include <ipuflow/ipu/program/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::ipu::impl {

/// The places that a step uses: variables on I/O tiles, buffers in streaming memory behind them, and slots of rings there.
struct box_uses {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  light_vector<std::size_t> read{};
  light_vector<std::size_t> written{};
  std::size_t pushed = none;  // ring
  std::size_t pulled = none;
  std::size_t reader = 0;
  bool elsewhere = false;  // it uses other tiles, too

  /// True if the step is one of I/O tiles alone.
  [[nodiscard]] bool alone() const { return !elsewhere && !(read.empty() && written.empty()); }
};

/// The time at which places are as a step needs them, and the phase of the step that they wait for.
struct box_ready {
  std::uint64_t at = 0;
  phase after = phase::exchange;

  void wait_for(std::uint64_t time, phase of) {
    if (time > at) *this = {time, of};
  }
};

template <class = void>
class basic_box_times {
 public:
  basic_box_times(const graph& g, const memory_layout& layout, std::size_t io_tiles)
      : g_{g}, here_(g.variables().size(), false), boxes_(here_.size() + g.remotes().size()), sharing_(here_.size()) {
    for (std::size_t v = 0; v < here_.size(); ++v) {
      const auto& held = g.variables()[v].tiles();
      here_[v] = !held.empty() && algorithms::all_of(held.begin(), held.end(), [&](const auto& of) { return of.first % g.chip().tiles < io_tiles; });
    }
    for (const variable_ring& r : g.rings()) {
      rings_.push_back({light_vector<box>(!r.away && here_[r.slots.index] ? r.depth : 0), 0, light_vector<std::size_t>(r.pulls.size(), 0)});
    }
    find_shared(layout);
  }

  [[nodiscard]] box_uses uses_of(const step& s) const {
    box_uses made;
    for (const variable_use& u : impl::uses_of(g_, s)) {
      if (!here_[u.variable]) {
        made.elsewhere = true;
        continue;
      }
      if (u.read) made.read.push_back(u.variable);
      if (u.written > 0) made.written.push_back(u.variable);
    }
    if (const auto* loads = s.get_if<load>()) made.read.push_back(here_.size() + loads->buffer.index);
    if (const auto* stores = s.get_if<store>()) made.written.push_back(here_.size() + stores->buffer.index);
    if (const auto* pushes = s.get_if<push>(); pushes != nullptr && !rings_[pushes->ring.index].slots.empty())
      made.pushed = pushes->ring.index;
    if (const auto* pulls = s.get_if<pull>(); pulls != nullptr && !rings_[pulls->ring.index].slots.empty()) {
      made.pulled = pulls->ring.index;
      made.reader = pulls->reader;
    }
    return made;
  }

  /// The time from which all places are as a step needs them.
  [[nodiscard]] box_ready ready(const box_uses& uses) const {
    box_ready made;
    const auto filled = [&](const box& b) { made.wait_for(b.filled, b.filled_by); };
    const auto free = [&](const box& b) { made.wait_for(b.free, b.freed_by); };
    for (const std::size_t v : uses.read) filled(boxes_[v]);
    for (const std::size_t v : uses.written) {
      free(boxes_[v]);
      if (v >= sharing_.size()) continue;
      for (const std::size_t other : sharing_[v]) free(boxes_[other]);
    }
    if (uses.pushed != box_uses::none) free(rings_[uses.pushed].slots[slot_pushed(uses)]);
    if (uses.pulled != box_uses::none) filled(rings_[uses.pulled].slots[slot_pulled(uses)]);
    return made;
  }

  /// Takes note of a step, of this phase, that ends then.
  void use(const box_uses& uses, std::uint64_t end, phase of = phase::exchange) {
    for (const std::size_t v : uses.read) boxes_[v].read(end, of);
    for (const std::size_t v : uses.written) boxes_[v].fill(end, of);
    if (uses.pushed != box_uses::none) {
      rings_[uses.pushed].slots[slot_pushed(uses)].fill(end, of);
      ++rings_[uses.pushed].pushes;
    }
    if (uses.pulled != box_uses::none) {
      rings_[uses.pulled].slots[slot_pulled(uses)].read(end, of);
      ++rings_[uses.pulled].pulls[uses.reader];
    }
  }

  /// Calls `visit(time)` for each time there is; slots of a ring from the next one to be pushed on, so that turns of a loop
  /// which are alike have the same times in the same order.
  template <class Visit>
  void each_time(Visit visit) {
    const auto both = [&](box& b) {
      visit(b.filled);
      visit(b.free);
    };
    for (box& b : boxes_) both(b);
    for (std::size_t k = 0; k < rings_.size(); ++k) {
      const std::size_t depth = rings_[k].slots.size(), first = depth == 0 ? 0 : next_in_turn(k);
      for (std::size_t i = 0; i < depth; ++i) both(rings_[k].slots[(first + i) % depth]);
    }
  }

  /// The number of times that rings were pushed and pulled.
  [[nodiscard]] light_vector<std::uint64_t> counts() const {
    light_vector<std::uint64_t> made;
    for (const ring& r : rings_) {
      made.push_back(r.pushes);
      made.insert(made.end(), r.pulls.begin(), r.pulls.end());
    }
    return made;
  }
  /// True if rings would go on as before after such a turn again and again: those in the order of a list never do, those that begin
  /// again do after a whole number of their runs, and within one.
  [[nodiscard]] bool goes_on(const light_vector<std::uint64_t>& before) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < rings_.size(); ++i) {
      const variable_ring& r = g_.rings()[i];
      const std::uint64_t pushed = rings_[i].pushes - before[at++];
      const bool of_runs = r.pushes_of_run > 0 && pushed % r.pushes_of_run == 0;
      for (std::size_t reader = 0; reader < rings_[i].pulls.size(); ++reader) {
        const std::uint64_t pulled = rings_[i].pulls[reader] - before[at++];
        if (pulled == 0 || (of_runs && pulled % r.pulls_of_run[reader] == 0)) continue;
        if (pulled != pushed || !r.pushes.empty()) return false;
      }
    }
    return true;
  }
  /// So many turns more like the one since `before`; `times` are those of `each_time` after them.
  void skip(const light_vector<std::uint64_t>& before, std::uint64_t turns, const light_vector<std::uint64_t>& times) {
    std::size_t at = 0;
    for (ring& r : rings_) {
      r.pushes += (r.pushes - before[at++]) * turns;
      for (std::size_t& pulls : r.pulls) pulls += (pulls - before[at++]) * turns;
    }
    const std::uint64_t* time = times.data();
    each_time([&](std::uint64_t& t) { t = *time++; });
  }

 private:
  struct box {
    std::uint64_t filled = 0;
    std::uint64_t free = 0;
    phase filled_by = phase::exchange;
    phase freed_by = phase::exchange;

    void fill(std::uint64_t at, phase of) {
      filled = free = at;
      filled_by = freed_by = of;
    }
    void read(std::uint64_t at, phase of) {
      if (at <= free) return;
      free = at;
      freed_by = of;
    }
  };
  struct ring {
    light_vector<box> slots;  // none: not on I/O tiles
    std::size_t pushes = 0;
    light_vector<std::size_t> pulls;
  };

  /// Variables that are not live together may have the same memory.
  void find_shared(const memory_layout& layout) {
    struct placed {
      std::size_t begin = 0;
      std::size_t end = 0;
      std::size_t variable = 0;
    };
    flat_map<std::size_t, light_vector<placed>> by_tile;
    for (std::size_t v = 0; v < here_.size(); ++v) {
      if (!here_[v] || g_.variables()[v].always_live()) continue;
      for (const auto& [tile, held] : g_.variables()[v].tiles()) {
        if (!layout.has(v, tile)) continue;
        const std::size_t begin = layout.address(v, tile);
        by_tile[tile].push_back({begin, begin + held * size_of(g_.variables()[v].type()), v});
      }
    }
    for (auto& [tile, all] : by_tile) {
      algorithms::sort(all.begin(), all.end(), [](const placed& a, const placed& b) { return a.begin < b.begin; });
      for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t k = i + 1; k < all.size() && all[k].begin < all[i].end; ++k) {
          sharing_[all[i].variable].push_back(all[k].variable);
          sharing_[all[k].variable].push_back(all[i].variable);
        }
      }
    }
    for (light_vector<std::size_t>& others : sharing_) {  // once each, not once for each tile
      algorithms::sort(others.begin(), others.end());
      others.erase(algorithms::unique(others.begin(), others.end()), others.end());
    }
  }

  /// The slot that the next push takes, or would take if none had a list.
  std::size_t next_in_turn(std::size_t number) const {
    const variable_ring& r = g_.rings()[number];
    return r.pushes.empty() ? r.slot_pushed(rings_[number].pushes) : rings_[number].pushes % r.depth;
  }
  std::size_t slot_pushed(const box_uses& uses) const {
    return g_.rings()[uses.pushed].slot_pushed(rings_[uses.pushed].pushes);
  }
  std::size_t slot_pulled(const box_uses& uses) const {
    return g_.rings()[uses.pulled].slot_pulled(uses.reader, rings_[uses.pulled].pulls[uses.reader]);
  }

  const graph& g_;
  light_vector<bool> here_;  // whether a variable is on I/O tiles
  light_vector<box> boxes_;  // of each variable, then of each buffer in streaming memory
  light_vector<light_vector<std::size_t>> sharing_;  // variables in the same memory, of each
  light_vector<ring> rings_;
};
using box_times = basic_box_times<>;

}  // namespace ipuflow::ipu::impl
