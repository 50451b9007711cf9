// SPDX-License-Identifier: BSL-1.0
// Goes through a program in time: a sequence adds, a repeat multiplies, steps side by side begin together and take as
// long as the longest. Both engines are this walk: one counts a turn of a loop and multiplies, the other does each turn
// and what is in it.
#pragma once

#include <ipuflow/ipu/engine/meter.hpp>
#include <ipuflow/ipu/program/step_kind.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

namespace impl {

/// The way in which loops are gone through.
enum class turns : unsigned char { multiplied, each };

/// `perform(leaf)` is called for each step that is not made of others, before it is counted.
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
  /// The list that labelled steps are noted in, and the start of this one; no list while a turn like one before is gone through.
  struct notes {
    std::vector<activity>* kept = nullptr;
    cycles now{};

    [[nodiscard]] notes at(cycles later) const { return {kept, now + later}; }
  };

  /// The cycles of one run of a step that runs `times` times. `exchanged`: an exchange stands right before it.
  cycles step_of(const step& s, std::uint64_t times, bool& exchanged, notes n) {
    return visit_kind(s, [&]<class Kind>(const Kind& kind) {
      if constexpr (leaf_step<Kind>) {
        perform_(kind);
        return m_.leaf(s, times, exchanged);
      } else {
        return walk(kind, times, exchanged, n);
      }
    });
  }

  cycles in_order(const std::vector<step>& steps, std::uint64_t times, bool& exchanged, notes n) {
    cycles elapsed;
    for (const step& s : steps) elapsed += step_of(s, times, exchanged, n.at(elapsed));
    return elapsed;
  }

  cycles walk(const sequence_of& s, std::uint64_t times, bool& exchanged, notes n) {
    return in_order(s.steps, times, exchanged, n);
  }

  cycles walk(const label_of& s, std::uint64_t times, bool& exchanged, notes n) {
    if (n.kept == nullptr) return in_order(s.steps, times, exchanged, n);
    activity seen{.label = s.label, .begin = n.now};
    const cycles length = seen.length = in_order(s.steps, times, exchanged, {&seen.inside, {}});
    n.kept->push_back(std::move(seen));
    return length;
  }

  cycles walk(const call& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    const cycles elapsed = step_of(g_.functions()[s.function.index], times, exchanged, n);
    exchanged = false;
    return elapsed;
  }

  /// All turns take as long as the first, which is noted.
  cycles walk(const repeat_of& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    if (s.count == 0) return {};
    activity loop{.begin = n.now, .turns = s.count};
    const std::size_t walked = through_ == turns::each ? s.count : 1;
    for (std::size_t turn = 0; turn < walked; ++turn) {
      const bool first = turn == 0 && n.kept != nullptr;
      loop.length = in_order(s.steps, times * (s.count / walked), exchanged, {first ? &loop.inside : nullptr, {}});
      exchanged = false;
    }
    const cycles elapsed = loop.length * s.count;
    if (!loop.inside.empty()) n.kept->push_back(std::move(loop));
    return elapsed;
  }

  cycles walk(const parallel_of& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    cycles longest;
    for (const step& inner : s.steps) {
      longest = std::max(longest, step_of(inner, times, exchanged, n));
      exchanged = false;
    }
    return longest;
  }

  cycles walk(const overlap_of& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    const std::vector<chip_profile> before = m_.chips();
    const cycles transfers = in_order(s.transfers, times, exchanged, n);
    exchanged = false;
    const std::vector<chip_profile> between = m_.chips();
    const cycles compute = in_order(s.compute, times, exchanged, n);
    exchanged = false;
    m_.hide(before, between, std::min(transfers, compute), times);
    return std::max(transfers, compute);
  }

  meter& m_;
  const graph& g_;
  turns through_;
  Perform perform_;
};

}  // namespace impl

}  // namespace ipuflow::ipu
