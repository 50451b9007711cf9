// SPDX-License-Identifier: BSL-1.0
// The places on I/O tiles in time: when one is filled, and when it may be filled again because what was in it has been read.
// A step that uses such places waits for nothing else there, so I/O tiles work ahead as far as their places allow.
#pragma once

#include <ipuflow/ipu/program/liveness.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace ipuflow::ipu::impl {

/// The places that a step uses: variables on I/O tiles, and slots of rings there.
struct box_uses {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::vector<std::size_t> read{};
  std::vector<std::size_t> written{};
  std::size_t pushed = none;  // ring
  std::size_t pulled = none;
  std::size_t reader = 0;
  bool elsewhere = false;  // it uses other tiles, too

  /// Whether the step is one of I/O tiles alone.
  [[nodiscard]] bool alone() const { return !elsewhere && !(read.empty() && written.empty()); }
};

template <class = void>
class basic_box_times {
 public:
  basic_box_times(const graph& g, std::size_t io_tiles) : g_{g}, here_(g.variables().size(), false), boxes_(here_.size()) {
    for (std::size_t v = 0; v < here_.size(); ++v) {
      const auto& held = g.variables()[v].tiles();
      here_[v] = !held.empty() && std::all_of(held.begin(), held.end(), [&](const auto& of) { return of.first % g.chip().tiles < io_tiles; });
    }
    for (const variable_ring& r : g.rings()) {
      rings_.push_back({std::vector<box>(!r.away && here_[r.slots.index] ? r.depth : 0), 0, std::vector<std::size_t>(r.pulls.size(), 0)});
    }
  }

  [[nodiscard]] box_uses uses_of(const step& s) const {
    box_uses made;
    for (const variable_use& u : ipu::uses_of(g_, s)) {
      if (!here_[u.variable]) {
        made.elsewhere = true;
        continue;
      }
      if (u.read) made.read.push_back(u.variable);
      if (u.written > 0) made.written.push_back(u.variable);
    }
    if (const auto* pushes = std::get_if<push>(&s); pushes != nullptr && !rings_[pushes->ring.index].slots.empty())
      made.pushed = pushes->ring.index;
    if (const auto* pulls = std::get_if<pull>(&s); pulls != nullptr && !rings_[pulls->ring.index].slots.empty()) {
      made.pulled = pulls->ring.index;
      made.reader = pulls->reader;
    }
    return made;
  }

  /// When all places are as a step needs them.
  [[nodiscard]] std::uint64_t ready(const box_uses& uses) const {
    std::uint64_t at = 0;
    for (const std::size_t v : uses.read) at = std::max(at, boxes_[v].filled);
    for (const std::size_t v : uses.written) at = std::max(at, boxes_[v].free);
    if (uses.pushed != box_uses::none) at = std::max(at, rings_[uses.pushed].slots[slot_pushed(uses)].free);
    if (uses.pulled != box_uses::none) at = std::max(at, rings_[uses.pulled].slots[slot_pulled(uses)].filled);
    return at;
  }

  /// Takes note of a step that ends then.
  void use(const box_uses& uses, std::uint64_t end) {
    for (const std::size_t v : uses.read) boxes_[v].read(end);
    for (const std::size_t v : uses.written) boxes_[v].fill(end);
    if (uses.pushed != box_uses::none) {
      rings_[uses.pushed].slots[slot_pushed(uses)].fill(end);
      ++rings_[uses.pushed].pushes;
    }
    if (uses.pulled != box_uses::none) {
      rings_[uses.pulled].slots[slot_pulled(uses)].read(end);
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
    for (ring& r : rings_) {
      for (std::size_t i = 0; i < r.slots.size(); ++i) both(r.slots[(r.pushes + i) % r.slots.size()]);
    }
  }

  /// How often rings were pushed and pulled.
  [[nodiscard]] std::vector<std::uint64_t> counts() const {
    std::vector<std::uint64_t> made;
    for (const ring& r : rings_) {
      made.push_back(r.pushes);
      made.insert(made.end(), r.pulls.begin(), r.pulls.end());
    }
    return made;
  }
  /// Whether rings would go on as before after such a turn again and again: those in the order of a list never do.
  [[nodiscard]] bool goes_on(const std::vector<std::uint64_t>& before) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < rings_.size(); ++i) {
      const std::uint64_t pushed = rings_[i].pushes - before[at++];
      for (const std::size_t pulls : rings_[i].pulls) {
        const std::uint64_t pulled = pulls - before[at++];
        if (pulled != 0 && (pulled != pushed || !g_.rings()[i].pushes.empty())) return false;
      }
    }
    return true;
  }
  /// So many turns more like the one since `before`; `times` are those of `each_time` after them.
  void skip(const std::vector<std::uint64_t>& before, std::uint64_t turns, const std::vector<std::uint64_t>& times) {
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

    void fill(std::uint64_t at) { filled = free = at; }
    void read(std::uint64_t at) { free = std::max(free, at); }
  };
  struct ring {
    std::vector<box> slots;  // none: not on I/O tiles
    std::size_t pushes = 0;
    std::vector<std::size_t> pulls;
  };

  std::size_t slot_pushed(const box_uses& uses) const {
    const variable_ring& r = g_.rings()[uses.pushed];
    return r.slot(r.pushes, rings_[uses.pushed].pushes);
  }
  std::size_t slot_pulled(const box_uses& uses) const {
    const variable_ring& r = g_.rings()[uses.pulled];
    return r.slot(r.pulls[uses.reader], rings_[uses.pulled].pulls[uses.reader]);
  }

  const graph& g_;
  std::vector<bool> here_;  // whether a variable is on I/O tiles
  std::vector<box> boxes_;  // of each variable
  std::vector<ring> rings_;
};
using box_times = basic_box_times<>;

}  // namespace ipuflow::ipu::impl
