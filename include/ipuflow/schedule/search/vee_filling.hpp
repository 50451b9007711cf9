// SPDX-License-Identifier: BSL-1.0
// Orders of stages there and back with split backwards, for given costs and memory: forwards as many before the first backward as memory
// takes, then one backward and one forward of each IPU at a time, of the chunk that is there, and gradients for weights in the gaps that
// these leave. Two rules may be one way or the other. Qi et al., "Pipeline parallelism with controllable memory", the greedy of its ZB-V.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// `Line` is that of `gap_filling`, of which stage s and the last but s are on one IPU. Passes have the order in which a micro-batch comes to
/// an IPU: its forward there, its forward back, its backward of the chunk that is back, that of the chunk that goes there.
template <class Line>
class vee_filling {
 public:
  /// `fills_forwards`, `fills_backwards`: a gap that would be a loss, before a forward or a backward of the chunk that goes there, takes a
  /// gradient for weights that is longer than it. `idle`: what each IPU was idle where it was tried before, which is then no loss.
  constexpr vee_filling(const Line& line, bool fills_forwards, bool fills_backwards, dynamic_array<std::size_t> idle = {})
      : line_{line}, ipus_{line.stages / 2}, count_{line.micro_batches}, fills_forwards_{fills_forwards}, fills_backwards_{fills_backwards},
        lanes_{ipus_}, ends_(4 * ipus_ * count_, unknown), passes_{ipus_}, idle_{static_cast<dynamic_array<std::size_t>&&>(idle)} {
    for (const std::size_t i : idle_) most_before_ = i > most_before_ ? i : most_before_;
  }

  /// False if it does not fit into the memory.
  constexpr bool run() {
    if (!there() || !back()) return false;
    for (std::size_t n = 0; n < 2 * count_; ++n) {
      if (!backwards() || !forwards()) return false;
    }
    for (std::size_t ipu = 0; ipu < ipus_; ++ipu) {
      while (put_weights(ipu)) {}
    }
    for (const lane& l : lanes_) {
      for (const std::size_t done : l.next) {
        if (done != count_) return false;
      }
    }
    return true;
  }

  /// The passes of an IPU in order, each as three times its stage and 0 for a forward, 1 and 2 for the halves of a backward.
  [[nodiscard]] constexpr const dynamic_array<std::size_t>& passes(std::size_t ipu) const { return passes_[ipu]; }
  /// The time that each IPU was idle between its first operation and its last.
  [[nodiscard]] constexpr dynamic_array<std::size_t> idle() const {
    dynamic_array<std::size_t> found{ipus_};
    for (std::size_t ipu = 0; ipu < ipus_; ++ipu) found[ipu] = lanes_[ipu].idle;
    return found;
  }

 private:
  static constexpr std::size_t unknown = nowhere;
  static constexpr std::size_t turns = 4;  ///< passes of an IPU that others read, by the order in which a micro-batch comes to it

  struct lane {
    std::size_t next[turns]{};
    std::size_t free = 0;
    std::ptrdiff_t held = 0;
    std::size_t idle = 0;
    dynamic_array<std::size_t> weights{};  // stages whose gradients are due, from the oldest one on
    std::size_t given = 0;
  };

  constexpr std::size_t stage_of(std::size_t ipu, std::size_t turn) const { return turn == 0 || turn == 3 ? ipu : line_.stages - 1 - ipu; }
  static constexpr std::size_t which_of(std::size_t turn) { return turn < 2 ? 0 : 1; }
  constexpr std::size_t time(std::size_t ipu, std::size_t turn) const { return line_.time(stage_of(ipu, turn), which_of(turn)); }
  constexpr std::ptrdiff_t adds(std::size_t ipu, std::size_t turn) const { return line_.adds(stage_of(ipu, turn), which_of(turn)); }
  constexpr std::size_t& end_of(std::size_t ipu, std::size_t turn, std::size_t m) { return ends_[(turns * ipu + turn) * count_ + m]; }
  constexpr bool has_room(std::size_t ipu, std::ptrdiff_t more) const { return lanes_[ipu].held + more <= line_.limit(ipu); }

  /// The IPU that a pass reads from: the one before on the way there, the one behind on the way back; `nowhere` at the ends.
  constexpr std::size_t source(std::size_t ipu, std::size_t turn) const {
    if (turn % 2 == 0) return ipu == 0 ? nowhere : ipu - 1;
    return ipu + 1 == ipus_ ? nowhere : ipu + 1;
  }
  /// The time at which what it reads is there: 0 if it reads from no other IPU, `unknown` if it is not made.
  constexpr std::size_t arrival(std::size_t ipu, std::size_t turn) {
    const std::size_t from = source(ipu, turn);
    if (from == nowhere) return 0;
    const std::size_t end = end_of(from, turn, lanes_[ipu].next[turn]);
    return end == unknown ? unknown : end + line_.message(stage_of(from, turn), which_of(turn));
  }

  /// False if it cannot run.
  constexpr bool put(std::size_t ipu, std::size_t turn) {
    lane& l = lanes_[ipu];
    const std::size_t m = l.next[turn];
    if (m >= count_ || !has_room(ipu, adds(ipu, turn)) || (turn > 0 && end_of(ipu, turn - 1, m) == unknown)) return false;
    const std::size_t there = arrival(ipu, turn);
    if (there == unknown) return false;
    const std::size_t start = there > l.free ? there : l.free;
    if (l.next[0] > 0) l.idle += start - l.free;
    most_idle_ = l.idle > most_idle_ ? l.idle : most_idle_;
    l.free = end_of(ipu, turn, m) = start + time(ipu, turn);
    l.held += adds(ipu, turn);
    ++l.next[turn];
    passes_[ipu].push_back(3 * stage_of(ipu, turn) + which_of(turn));
    if (turn >= 2) l.weights.push_back(stage_of(ipu, turn));
    return true;
  }
  /// False if none is due.
  constexpr bool put_weights(std::size_t ipu) {
    lane& l = lanes_[ipu];
    if (l.given == l.weights.size()) return false;
    const std::size_t stage = l.weights[l.given++];
    l.free += line_.time(stage, 2);
    l.held += line_.adds(stage, 2);
    passes_[ipu].push_back(3 * stage + 2);
    return true;
  }

  /// The first micro-batch forwards, and more of them on the way there while the first is on its way back.
  constexpr bool there() {
    for (std::size_t ipu = 0; ipu < ipus_; ++ipu) {
      if (!put(ipu, 0)) return false;
    }
    for (std::size_t ipu = ipus_; ipu-- > 0;) {
      const std::size_t comes = arrival(ipu, 1);
      const auto fits = [&] {
        return lanes_[ipu].next[0] < count_ && lanes_[ipu].free + time(ipu, 0) <= comes &&
               has_room(ipu, static_cast<std::ptrdiff_t>(2 + 2 * ipu) * adds(ipu, 0));
      };
      while (ipu + 1 < ipus_ && fits()) {
        for (std::size_t before = 0; before <= ipu; ++before) {
          if (!put(before, 0)) return false;
        }
      }
      if (!put(ipu, 1)) return false;
    }
    return true;
  }
  /// Forwards there and back in turn until each IPU has as many as the one before it.
  constexpr bool back() {
    std::size_t turn = 0;
    const auto lacks = [&](std::size_t ipu) {
      const lane& before = lanes_[ipu - 1];
      const lane& l = lanes_[ipu];
      return l.next[0] + l.next[1] < before.next[0] + before.next[1] || (l.next[1] <= before.next[1] && before.next[1] < count_);
    };
    for (std::size_t ipu = 1; ipu < ipus_; ++ipu) {
      while (lacks(ipu)) {
        for (std::size_t at = ipus_; at-- > ipu;) {
          if (lanes_[at].next[turn] < count_ && !put(at, turn)) return false;
        }
        turn = 1 - turn;
      }
    }
    return true;
  }

  constexpr bool backwards() {
    dynamic_array<bool> goes_there{ipus_};
    for (std::size_t ipu = 0; ipu < ipus_; ++ipu) {
      const lane& l = lanes_[ipu];
      goes_there[ipu] = l.next[3] < l.next[2] && (l.next[2] >= count_ || arrival(ipu, 3) != unknown);
    }
    for (std::size_t ipu = ipus_; ipu-- > 0;) {
      if (goes_there[ipu] && !put_in_time(ipu, 3, true)) return false;
    }
    for (std::size_t ipu = 0; ipu < ipus_; ++ipu) {
      if (!goes_there[ipu] && !put_in_time(ipu, 2, fills_backwards_)) return false;
    }
    return true;
  }
  constexpr bool forwards() {
    for (std::size_t ipu = 0; ipu < ipus_; ++ipu) {
      const lane& l = lanes_[ipu];
      if (l.next[1] >= count_) continue;
      const bool comes_back = l.next[1] < l.next[0] && arrival(ipu, 1) != unknown;
      const bool begins = l.next[1] >= l.next[0] || (l.next[0] < count_ && arrival(ipu, 0) != unknown);
      if (!comes_back && !begins) continue;
      if (!put_in_time(ipu, comes_back ? 1 : 0, fills_forwards_)) return false;
    }
    return true;
  }

  /// A pass with gradients for weights before it: until it has room, until what it reads comes, and one more where waiting would be a loss.
  constexpr bool put_in_time(std::size_t ipu, std::size_t turn, bool fills) {
    lane& l = lanes_[ipu];
    while (!has_room(ipu, adds(ipu, turn))) {
      if (!put_weights(ipu)) return false;
    }
    const std::size_t comes = arrival(ipu, turn);
    if (comes == unknown) return false;
    const auto due = [&] { return l.given < l.weights.size(); };
    while (due() && l.free + line_.time(l.weights[l.given], 2) <= comes) put_weights(ipu);
    if (fills && due() && comes > l.free && comes - l.free > allowed_idle(ipu)) put_weights(ipu);
    return put(ipu, turn);
  }
  constexpr std::size_t allowed_idle(std::size_t ipu) const {
    const std::size_t before = idle_.empty() ? 0 : most_before_ - idle_[ipu];
    const std::size_t most = before > most_idle_ ? before : most_idle_;
    return most > lanes_[ipu].idle ? most - lanes_[ipu].idle : 0;
  }

  const Line& line_;
  std::size_t ipus_;
  std::size_t count_;
  bool fills_forwards_;
  bool fills_backwards_;
  dynamic_array<lane> lanes_;
  dynamic_array<std::size_t> ends_;
  dynamic_array<dynamic_array<std::size_t>> passes_;
  dynamic_array<std::size_t> idle_;
  std::size_t most_before_ = 0;
  std::size_t most_idle_ = 0;
};

}  // namespace ipuflow::schedule::impl
