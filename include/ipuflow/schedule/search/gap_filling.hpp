// SPDX-License-Identifier: BSL-1.0
// Orders of a line with split backwards, for given costs and memory: forwards as many before the first backward as memory takes, then
// one backward and one forward of each IPU at a time, and gradients for weights in the gaps that these leave. Three rules may be one way or
// the other. Qi et al., "Zero bubble pipeline parallelism", the heuristic of its section 3.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// The rules that may be one way or the other.
struct filling_rules {
  bool full_forwards = false;   ///< a forward before the first backward must not delay it
  bool late_forwards = false;   ///< a forward waits if the next IPU is not ready for it
  bool fills_small = false;     ///< a gap that is shorter than a gradient for weights, and no loss, takes one
};

/// `Line` has `stages`, `micro_batches`, `time(stage, which)` of its three passes, in the order in which a micro-batch runs them,
/// `message(stage, which)` behind one of the first two, `adds(stage, which)`, what the end of a pass adds to the memory of its IPU, and
/// `limit(stage)`.
template <class Line>
class gap_filling {
 public:
  constexpr gap_filling(const Line& line, filling_rules by)
      : line_{line}, by_{by}, lanes_{line.stages}, ends_(2 * line.stages * line.micro_batches), passes_{line.stages} {}

  /// False if it does not fit into the memory.
  constexpr bool run() {
    begin();
    for (std::size_t m = 1; m < line_.micro_batches; ++m) {
      if (!forwards() || !backwards()) return false;
    }
    for (std::size_t ipu = 0; ipu < lanes_.size(); ++ipu) {
      while (lanes_[ipu].next[2] < line_.micro_batches) put(ipu, 2);
    }
    return true;
  }

  [[nodiscard]] constexpr std::size_t makespan() const {
    std::size_t last = 0;
    for (const lane& l : lanes_) last = later(last, l.free);
    return last;
  }
  [[nodiscard]] constexpr std::size_t span() const {
    std::size_t longest = 0;
    for (const lane& l : lanes_) longest = later(longest, l.free - l.first);
    return longest;
  }
  /// The passes of a stage in order, each by its number.
  [[nodiscard]] constexpr const dynamic_array<unsigned char>& passes(std::size_t stage) const { return passes_[stage]; }

 private:
  /// An IPU: what it has done of each of the three passes, when it is free, what it holds, and how long it was idle.
  struct lane {
    std::size_t next[3]{};
    std::size_t first = 0;
    std::size_t free = 0;
    std::ptrdiff_t held = 0;
    std::size_t idle = 0;
  };
  static constexpr std::size_t later(std::size_t a, std::size_t b) { return a < b ? b : a; }
  constexpr std::size_t cost(std::size_t ipu, std::size_t which) const { return line_.time(ipu, which); }
  constexpr std::ptrdiff_t adds(std::size_t ipu, std::size_t which) const { return line_.adds(ipu, which); }
  constexpr std::size_t& end_of(std::size_t ipu, std::size_t which, std::size_t m) {
    return ends_[(2 * ipu + which) * line_.micro_batches + m];
  }
  /// The time from which on the next forward or backward of an IPU can begin, as far as it reads from another one.
  constexpr std::size_t arrival(std::size_t ipu, std::size_t which) {
    const std::size_t m = lanes_[ipu].next[which];
    if (which == 0) return ipu == 0 ? 0 : end_of(ipu - 1, 0, m) + line_.message(ipu - 1, 0);
    return ipu + 1 == lanes_.size() ? 0 : end_of(ipu + 1, 1, m) + line_.message(ipu + 1, 1);
  }

  constexpr void put(std::size_t ipu, std::size_t which) {
    lane& l = lanes_[ipu];
    const std::size_t start = which == 2 ? l.free : later(l.free, arrival(ipu, which));
    if (l.next[0] == 0) l.first = start;
    if (l.next[0] > 0) l.idle += start - l.free;
    l.free = start + cost(ipu, which);
    l.held += adds(ipu, which);
    if (which < 2) end_of(ipu, which, l.next[which]) = l.free;
    ++l.next[which];
    passes_[ipu].push_back(static_cast<unsigned char>(which));
  }

  /// Forwards until the first backward, which follows.
  constexpr void begin() {
    const std::size_t ipus = lanes_.size();
    for (std::size_t ipu = 0; ipu < ipus; ++ipu) put(ipu, 0);
    dynamic_array<std::size_t> more{ipus};
    std::size_t back = lanes_[ipus - 1].free + cost(ipus - 1, 1);
    for (std::size_t ipu = ipus - 1; ipu-- > 0;) {
      const std::size_t comes = back + line_.message(ipu + 1, 1);
      std::size_t free = lanes_[ipu].free;
      const std::size_t time = cost(ipu, 0);
      const auto fits = [&] { return 1 + more[ipu] < line_.micro_batches && static_cast<std::ptrdiff_t>(2 + more[ipu]) * adds(ipu, 0) <= line_.limit(ipu); };
      while (fits() && (by_.full_forwards ? free + time <= comes : free < comes)) {
        free += time;
        ++more[ipu];
      }
      back = later(free, comes) + cost(ipu, 1);
    }
    for (std::size_t ipu = 1; ipu < ipus; ++ipu) {  // an IPU runs fewer than the one before it, unless it has run them all
      while (more[ipu] > 0 && more[ipu] >= more[ipu - 1] && 1 + more[ipu] < line_.micro_batches) --more[ipu];
    }
    for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
      for (std::size_t i = 0; i < more[ipu]; ++i) put(ipu, 0);
    }
    for (std::size_t ipu = ipus; ipu-- > 0;) put(ipu, 1);
  }

  /// True if it is better to wait with a forward, since the next IPU has two that it has not run.
  constexpr bool waits(std::size_t ipu) const {
    const lane& l = lanes_[ipu];
    if (!by_.late_forwards || ipu + 1 == lanes_.size() || l.next[0] < lanes_[ipu + 1].next[0] + 2) return false;
    const std::size_t wanted = lanes_[ipu + 1].free + cost(ipu + 1, 0) + cost(ipu + 1, 1) + line_.message(ipu, 0);
    if (l.free >= wanted) return true;
    const std::ptrdiff_t lacks = l.held + adds(ipu, 0) - line_.limit(ipu);
    const std::ptrdiff_t frees = -adds(ipu, 2);
    const std::size_t over = lacks <= 0 ? 0 : frees <= 0 ? nowhere : static_cast<std::size_t>((lacks + frees - 1) / frees);
    const std::size_t due = l.next[1] - l.next[2];
    if (l.free + cost(ipu, 0) + (over < due ? over : due) * cost(ipu, 2) <= wanted) return false;
    return wanted - l.free <= allowed_idle(ipu);
  }

  constexpr bool forwards() {
    const std::size_t ipus = lanes_.size();
    dynamic_array<bool> runs{ipus};
    for (std::size_t ipu = 0; ipu < ipus; ++ipu) runs[ipu] = lanes_[ipu].next[0] < line_.micro_batches && !waits(ipu);
    for (std::size_t ipu = ipus - 1; ipu-- > 0;) runs[ipu] = runs[ipu] && runs[ipu + 1];
    for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
      if (!runs[ipu]) continue;
      if (!make_room(ipu)) return false;
      if (ipu > 0) fill(ipu, arrival(ipu, 0));
      put(ipu, 0);
    }
    return true;
  }
  constexpr bool backwards() {
    for (std::size_t ipu = lanes_.size(); ipu-- > 0;) {
      if (lanes_[ipu].next[1] >= lanes_[ipu].next[0]) return false;
      if (ipu + 1 < lanes_.size()) fill(ipu, arrival(ipu, 1));
      const bool last = ipu == 0 && lanes_[0].next[0] == line_.micro_batches;
      while (last && lanes_[0].next[2] < lanes_[0].next[1]) put(0, 2);
      put(ipu, 1);
    }
    return true;
  }

  /// Gradients for weights until a forward fits.
  constexpr bool make_room(std::size_t ipu) {
    lane& l = lanes_[ipu];
    while (l.held + adds(ipu, 0) > line_.limit(ipu)) {
      if (l.next[2] >= l.next[1]) return false;
      put(ipu, 2);
    }
    return true;
  }

  /// Gradients for weights until a message comes; one that takes longer, if the wait would be a loss.
  constexpr void fill(std::size_t ipu, std::size_t comes) {
    lane& l = lanes_[ipu];
    while (l.next[2] < l.next[1] && l.free + cost(ipu, 2) <= comes) put(ipu, 2);
    if (l.next[2] >= l.next[1] || l.free >= comes) return;
    if (comes - l.free > allowed_idle(ipu) || by_.fills_small) put(ipu, 2);
  }

  /// The time that an IPU may be idle without being the one that is so longest.
  constexpr std::size_t allowed_idle(std::size_t ipu) const {
    std::size_t most = 0;
    for (const lane& l : lanes_) most = later(most, l.idle);
    return most - lanes_[ipu].idle;
  }

  const Line& line_;
  filling_rules by_;
  dynamic_array<lane> lanes_;
  dynamic_array<std::size_t> ends_;
  dynamic_array<dynamic_array<unsigned char>> passes_;
};

/// The eight ways.
constexpr filling_rules filling_way(unsigned way) { return {(way & 1) == 0, (way & 2) == 0, (way & 4) == 0}; }

}  // namespace ipuflow::schedule::impl
