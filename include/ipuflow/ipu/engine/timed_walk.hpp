// SPDX-License-Identifier: BSL-1.0
// Goes through a program in time: a sequence adds, a repeat multiplies, steps side by side begin together and take as
// long as the longest; a transfer waits for what the host has not made ready. Both engines are this walk: one counts a turn
// of a loop and multiplies, the other does each turn and what is in it.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/memo.hpp>
#include <ipuflow/ipu/engine/host_queue.hpp>
#include <ipuflow/ipu/engine/meter.hpp>
#include <ipuflow/ipu/engine/phase_book.hpp>
#include <ipuflow/ipu/program/step_kind.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ipuflow::ipu {

namespace impl {

/// The way in which loops are gone through.
enum class turns : unsigned char { multiplied, each };

/// `perform(leaf)` is called for each step that is not made of others, before it is counted.
template <class Perform>
class timed_walk {
 public:
  timed_walk(meter& m, const graph& g, hosts& at_ends, turns through, Perform perform)
      : m_{m}, g_{g}, through_{through}, perform_{std::move(perform)}, hosts_{at_ends} {}

  /// The profile of a whole program.
  profile run(const step& program) {
    light_vector<activity> noted;
    bool exchanged = false;
    step_of(program, 1, exchanged, {.kept = &noted});
    profile made = m_.finish(now_);
    made.activities = std::move(noted);
    made.phases = book_.take();
    return made;
  }

 private:
  /// The lists that labelled steps, and the phases in one, are noted in, and when they begin; no lists while a turn like one before
  /// is gone through.
  struct notes {
    light_vector<activity>* kept = nullptr;
    light_vector<phase_run>* phases = nullptr;
    cycles from{};
  };

  /// One run of a step that runs `times` times; `now_` goes on. `exchanged`: an exchange stands right before it.
  void step_of(const step& s, std::uint64_t times, bool& exchanged, notes n) {
    visit_kind(s, [&]<class Kind>(const Kind& kind) {
      if constexpr (leaf_step<Kind>) {
        perform_(kind);
        if constexpr (requires { kind.stream; }) wait_for_host(s, kind, times, n);
        leaf(s, times, exchanged, n);
      } else {
        walk(kind, times, exchanged, n);
      }
    });
  }

  void leaf(const step& s, std::uint64_t times, bool& exchanged, notes n) {
    const leaf_cost& cost = m_.cost_of(s);
    const bool syncs = meter::syncs_before(cost, exchanged);
    const cycles taken = m_.leaf(s, times, exchanged);
    for (std::size_t part = 0; n.phases != nullptr && part < cost.chips.size(); ++part) m_.note(cost, part, syncs, now_ - n.from, *n.phases);
    now_ += taken;
  }

  template <class Stream>
  void wait_for_host(const step& s, const Stream& kind, std::uint64_t times, notes n) {
    if (!hosts_.wait()) return;
    const cycles waited{hosts_.wait_for(kind, now_.value)};
    if (waited.value == 0) return;
    m_.wait_for_host(s, waited, times);
    if (n.phases != nullptr) {
      for (const auto& [chip, p] : m_.cost_of(s).chips) n.phases->push_back({.chip = chip, .what = phase::host, .begin = now_ - n.from, .length = waited});
    }
    now_ += waited;
  }

  void in_order(const light_vector<step>& steps, std::uint64_t times, bool& exchanged, notes n) {
    for (const step& s : steps) step_of(s, times, exchanged, n);
  }

  void walk(const sequence_of& s, std::uint64_t times, bool& exchanged, notes n) {
    in_order(s.steps, times, exchanged, n);
  }

  void walk(const label_of& s, std::uint64_t times, bool& exchanged, notes n) {
    if (n.kept == nullptr || s.is_operation) return in_order(s.steps, times, exchanged, n);
    const cycles begin = now_;
    activity seen{.label = s.label, .begin = begin - n.from};
    light_vector<phase_run> phases;
    in_order(s.steps, times, exchanged, {&seen.inside, &phases, begin});
    seen.length = now_ - begin;
    seen.phases = book_.number_of(phases);
    n.kept->push_back(std::move(seen));
  }

  void walk(const call& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    step_of(g_.functions()[s.function.index], times, exchanged, n);
    exchanged = false;
  }

  /// All turns are like the first, which is noted; with a host that is waited for in them, like the turn before if that began
  /// in the same state.
  void walk(const repeat_of& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    const bool waits = hosts_.wait() && waits_in(s.steps);
    light_vector<activity> groups;
    light_vector<std::uint64_t> before;
    for (std::size_t turn = 0; turn < s.count;) {
      light_vector<std::uint64_t> here;
      if (waits) here = hosts_.state(now_.value);
      const bool alike = turn > 0 && here == before;
      const std::size_t many = alike && through_ == turns::multiplied ? s.count - turn : 1;
      const cycles from = now_;
      if (!alike) groups.push_back({.begin = from - n.from, .turns = 0});
      const bool noted = !alike && n.kept != nullptr;
      light_vector<phase_run> phases;
      in_order(s.steps, times * many, exchanged, {noted ? &groups.back().inside : nullptr, noted && n.phases != nullptr ? &phases : nullptr, from});
      if (noted) groups.back().phases = book_.number_of(phases);
      exchanged = false;
      const cycles length = now_ - from;
      if (!alike) groups.back().length = length;
      groups.back().turns += many;
      if (many > 1) {
        if (waits) hosts_.shift((length * (many - 1)).value);
        now_ += length * (many - 1);
      }
      turn += many;
      before = std::move(here);
    }
    if (n.kept == nullptr) return;
    for (activity& group : groups) {
      if (!group.inside.empty() || group.phases > 0) n.kept->push_back(std::move(group));
    }
  }

  /// True if a host is waited for in any of the steps, whatever they are made of.
  bool waits_in(const light_vector<step>& steps) {
    for (const step& s : steps) {
      const bool* const known = waits_.find(&s);
      const bool waits = known != nullptr ? *known : (waits_.try_emplace(&s, waits_in(s)).first->second);
      if (waits) return true;
    }
    return false;
  }
  bool waits_in(const step& s) {
    return visit_kind(s, [&]<class Kind>(const Kind& kind) -> bool {
      if constexpr (requires { kind.stream; }) {
        return hosts_.waits_for(kind);
      } else if constexpr (std::is_same_v<Kind, call>) {
        return waits_in(g_.functions()[kind.function.index]);
      } else if constexpr (std::is_same_v<Kind, overlap_of>) {
        return waits_in(kind.transfers) || waits_in(kind.compute);
      } else if constexpr (leaf_step<Kind>) {
        return false;
      } else {
        return waits_in(kind.steps);
      }
    });
  }

  void walk(const parallel_of& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    const cycles begin = now_;
    cycles end = now_;
    for (const step& inner : s.steps) {
      now_ = begin;
      step_of(inner, times, exchanged, n);
      end = algorithms::max(end, now_);
      exchanged = false;
    }
    now_ = end;
  }

  void walk(const overlap_of& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    const cycles begin = now_;
    const light_vector<chip_profile> before = m_.chips();
    in_order(s.transfers, times, exchanged, n);
    const cycles transferred = now_;
    exchanged = false;
    const light_vector<chip_profile> between = m_.chips();
    now_ = begin;
    in_order(s.compute, times, exchanged, n);
    exchanged = false;
    m_.hide(before, between, algorithms::min(transferred, now_) - begin, times);
    now_ = algorithms::max(transferred, now_);
  }

  meter& m_;
  const graph& g_;
  turns through_;
  Perform perform_;
  hosts& hosts_;
  memo<const step*, bool> waits_;  // of steps in loops
  phase_book book_;
  cycles now_{};
};

}  // namespace impl

}  // namespace ipuflow::ipu
