// SPDX-License-Identifier: BSL-1.0
// Goes through a program in time: a sequence adds, a repeat multiplies, steps side by side begin together and take as
// long as the longest; a transfer waits for what the host has not made ready. Both engines are this walk: one counts a turn
// of a loop and multiplies, the other does each turn and what is in it.
#pragma once

#include <ipuflow/ipu/engine/host_queue.hpp>
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
      : m_{m}, g_{g}, through_{through}, perform_{std::move(perform)}, hosts_{g, m.clock()} {}

  /// The profile of a whole program.
  profile run(const step& program) {
    std::vector<activity> noted;
    bool exchanged = false;
    step_of(program, 1, exchanged, {&noted, {}});
    profile made = m_.finish(now_);
    made.activities = std::move(noted);
    return made;
  }

 private:
  /// The list that labelled steps are noted in, and when it begins; no list while a turn like one before is gone through.
  struct notes {
    std::vector<activity>* kept = nullptr;
    cycles from{};
  };

  /// One run of a step that runs `times` times; `now_` goes on. `exchanged`: an exchange stands right before it.
  void step_of(const step& s, std::uint64_t times, bool& exchanged, notes n) {
    visit_kind(s, [&]<class Kind>(const Kind& kind) {
      if constexpr (leaf_step<Kind>) {
        perform_(kind);
        if constexpr (requires { kind.stream; }) wait_for_host(kind, times);
        now_ += m_.leaf(s, times, exchanged);
      } else {
        walk(kind, times, exchanged, n);
      }
    });
  }

  template <class Stream>
  void wait_for_host(const Stream& s, std::uint64_t times) {
    if (!hosts_.wait()) return;
    const cycles waited{hosts_.wait_for(s, now_.value)};
    if (waited.value > 0) m_.wait(s.variable, waited, times);
    now_ += waited;
  }

  void in_order(const std::vector<step>& steps, std::uint64_t times, bool& exchanged, notes n) {
    for (const step& s : steps) step_of(s, times, exchanged, n);
  }

  void walk(const sequence_of& s, std::uint64_t times, bool& exchanged, notes n) {
    in_order(s.steps, times, exchanged, n);
  }

  void walk(const label_of& s, std::uint64_t times, bool& exchanged, notes n) {
    if (n.kept == nullptr) return in_order(s.steps, times, exchanged, n);
    const cycles begin = now_;
    activity seen{.label = s.label, .begin = begin - n.from};
    in_order(s.steps, times, exchanged, {&seen.inside, begin});
    seen.length = now_ - begin;
    n.kept->push_back(std::move(seen));
  }

  void walk(const call& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    step_of(g_.functions()[s.function.index], times, exchanged, n);
    exchanged = false;
  }

  /// Without a host that is waited for all turns take as long as the first, which is noted. With one, turns are gone
  /// through until one begins as the turn before it did; from there on all are alike.
  void walk(const repeat_of& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    if (s.count == 0) return;
    const cycles begin = now_;
    activity loop{.begin = begin - n.from, .turns = s.count};
    std::vector<std::uint64_t> before;
    for (std::size_t turn = 0; turn < s.count;) {
      const std::vector<std::uint64_t> here = hosts_.wait() ? hosts_.state(now_.value) : before;
      const bool alike = through_ == turns::multiplied && (!hosts_.wait() || (turn > 0 && here == before));
      const std::size_t many = alike ? s.count - turn : 1;
      const bool first = turn == 0 && n.kept != nullptr;
      const cycles from = now_;
      in_order(s.steps, times * many, exchanged, {first ? &loop.inside : nullptr, from});
      exchanged = false;
      const cycles length = now_ - from;
      if (turn == 0) loop.length = length;
      if (many > 1) {
        hosts_.shift((length * (many - 1)).value);
        now_ += length * (many - 1);
      }
      turn += many;
      before = here;
    }
    if (hosts_.wait()) loop.length = (now_ - begin) / s.count;  // turns differ
    if (!loop.inside.empty()) n.kept->push_back(std::move(loop));
  }

  void walk(const parallel_of& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    const cycles begin = now_;
    cycles end = now_;
    for (const step& inner : s.steps) {
      now_ = begin;
      step_of(inner, times, exchanged, n);
      end = std::max(end, now_);
      exchanged = false;
    }
    now_ = end;
  }

  void walk(const overlap_of& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    const cycles begin = now_;
    const std::vector<chip_profile> before = m_.chips();
    in_order(s.transfers, times, exchanged, n);
    const cycles transferred = now_;
    exchanged = false;
    const std::vector<chip_profile> between = m_.chips();
    now_ = begin;
    in_order(s.compute, times, exchanged, n);
    exchanged = false;
    m_.hide(before, between, std::min(transferred, now_) - begin, times);
    now_ = std::max(transferred, now_);
  }

  meter& m_;
  const graph& g_;
  turns through_;
  Perform perform_;
  hosts hosts_;
  cycles now_{};
};

}  // namespace impl

}  // namespace ipuflow::ipu
