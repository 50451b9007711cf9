// SPDX-License-Identifier: BSL-1.0
// Goes through a program in time: a sequence adds, a repeat multiplies, steps side by side begin together and take as
// long as the longest. Both engines are this walk: one counts a turn of a loop and multiplies, the other does each turn
// and what is in it.
#pragma once

#include <ipuflow/ipu/engine/meter.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

/// How loops are gone through.
enum class turns : unsigned char { multiplied, each };

/// `perform(step)` is called for each step that is not made of others, before it is counted.
template <class Perform>
class timed_walk {
 public:
  timed_walk(meter& m, const graph& g, turns through, Perform perform)
      : m_{m}, g_{g}, through_{through}, perform_{std::move(perform)} {}

  /// The profile of a whole program.
  profile run(const step& program) {
    std::vector<activity> noted;
    bool exchanged = false;
    const cycles total = step_of(program, 1, exchanged, {&noted, {}});
    profile made = m_.finish(total);
    made.activities = std::move(noted);
    return made;
  }

 private:
  /// Where labelled steps are noted, and when this one begins; nowhere if this turn is like one before.
  struct notes {
    std::vector<activity>* kept = nullptr;
    cycles now{};

    [[nodiscard]] notes at(cycles later) const { return {kept, now + later}; }
  };

  /// The cycles of one run of a step that runs `times` times. `exchanged`: an exchange stands right before it.
  cycles step_of(const step& s, std::uint64_t times, bool& exchanged, notes n) {
    if (s.label == no_label || n.kept == nullptr) return unlabelled(s, times, exchanged, n);
    activity seen{.label = s.label, .begin = n.now};
    const cycles length = seen.length = unlabelled(s, times, exchanged, {&seen.inside, {}});
    n.kept->push_back(std::move(seen));
    return length;
  }

  cycles unlabelled(const step& s, std::uint64_t times, bool& exchanged, notes n) {
    if (s.kind == step_kind::sequence) {
      cycles elapsed;
      for (const step& inner : s.body) elapsed += step_of(inner, times, exchanged, n.at(elapsed));
      return elapsed;
    }
    if (s.kind > step_kind::overlap) {
      perform_(s);
      return m_.leaf(s, times, exchanged);
    }
    exchanged = false;
    const cycles elapsed = s.kind == step_kind::call       ? step_of(g_.functions()[s.index], times, exchanged, n)
                           : s.kind == step_kind::repeat   ? repeated(s, times, exchanged, n)
                           : s.kind == step_kind::parallel ? side_by_side(s, times, exchanged, n)
                                                           : overlapped(s, times, exchanged, n);
    exchanged = false;
    return elapsed;
  }

  /// All turns take as long as the first, which is noted.
  cycles repeated(const step& s, std::uint64_t times, bool& exchanged, notes n) {
    if (s.count == 0) return {};
    activity loop{.begin = n.now, .turns = s.count};
    const std::size_t walked = through_ == turns::each ? s.count : 1;
    for (std::size_t turn = 0; turn < walked; ++turn) {
      const bool first = turn == 0 && n.kept != nullptr;
      exchanged = false;
      loop.length = step_of(s.body[0], times * (s.count / walked), exchanged, {first ? &loop.inside : nullptr, {}});
    }
    const cycles elapsed = loop.length * s.count;
    if (!loop.inside.empty()) n.kept->push_back(std::move(loop));
    return elapsed;
  }

  cycles side_by_side(const step& s, std::uint64_t times, bool& exchanged, notes n) {
    cycles longest;
    for (const step& inner : s.body) {
      exchanged = false;
      longest = std::max(longest, step_of(inner, times, exchanged, n));
    }
    return longest;
  }

  cycles overlapped(const step& s, std::uint64_t times, bool& exchanged, notes n) {
    const std::vector<chip_profile> before = m_.chips();
    const cycles transfers = step_of(s.body[0], times, exchanged, n);
    exchanged = false;
    const std::vector<chip_profile> between = m_.chips();
    const cycles compute = step_of(s.body[1], times, exchanged, n);
    m_.hide(before, between, std::min(transfers, compute), times);
    return std::max(transfers, compute);
  }

  meter& m_;
  const graph& g_;
  turns through_;
  Perform perform_;
};

}  // namespace ipuflow::ipu
