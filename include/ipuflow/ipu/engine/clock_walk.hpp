// SPDX-License-Identifier: BSL-1.0
// Goes through a program whose I/O tiles work by themselves. They have no clock: what they do begins when their places are
// filled or free and the links on the way are, and a chip waits for it when it uses such a place. Chips have one clock and step
// together, or one each: then what a chip does moves its clock alone, and a transfer between chips waits for those that take part.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/memo.hpp>
#include <ipuflow/ipu/engine/box_times.hpp>
#include <ipuflow/ipu/engine/host_queue.hpp>
#include <ipuflow/ipu/engine/leaf_needs.hpp>
#include <ipuflow/ipu/engine/link_times.hpp>
#include <ipuflow/ipu/engine/meter.hpp>
#include <ipuflow/ipu/engine/phase_book.hpp>
#include <ipuflow/ipu/engine/timed_walk.hpp>
#include <ipuflow/ipu/engine/walk_times.hpp>
#include <ipuflow/ipu/program/memory.hpp>
#include <ipuflow/ipu/program/step_kind.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace ipuflow::ipu::impl {

/// `perform(leaf)` is called for each step that is not made of others, before it is counted.
template <class Perform>
class clock_walk {
 public:
  clock_walk(meter& m, const graph& g, const memory_layout& layout, hosts& at_ends, turns through, std::size_t clocks,
             std::size_t io_tiles, Perform perform)
      : m_{m},
        g_{g},
        through_{through},
        perform_{std::move(perform)},
        hosts_{at_ends},
        boxes_{g, layout, io_tiles},
        clocks_(clocks, 0),
        links_{racks_of(m.system(), g.chips())} {}

  /// The profile of a whole program.
  profile run(const step& program) {
    light_vector<activity> noted;
    bool exchanged = false;
    step_of(program, 1, exchanged, {.kept = &noted});
    profile made = m_.finish({last_});
    made.activities = std::move(noted);
    made.phases = book_.take();
    return made;
  }

 private:
  /// Activities of a sequence, and phases in one, whose beginnings are counted from that of the program until they are put into others.
  struct notes {
    light_vector<activity>* kept = nullptr;
    light_vector<phase_run>* phases = nullptr;
  };

  void step_of(const step& s, std::uint64_t times, bool& exchanged, notes n) {
    visit_kind(s, [&]<class Kind>(const Kind& kind) {
      if constexpr (leaf_step<Kind>) {
        perform_(kind);
        leaf(s, kind, times, exchanged, n);
      } else {
        walk(kind, times, exchanged, n);
      }
    });
  }

  template <class Kind>
  void leaf(const step& s, const Kind& kind, std::uint64_t times, bool& exchanged, notes n) {
    const leaf_cost& cost = m_.cost_of(s);
    const leaf_needs& needs = needs_of(s, cost);
    const box_ready ready = boxes_.ready(needs.boxes);
    std::uint64_t start = ready.at;
    const bool beside = needs.boxes.alone();
    if (!beside && one_clock()) {
      if (ready.at > clocks_[0] && (ready.after == phase::host || ready.after == phase::streaming)) {
        for (const auto& [chip, p] : cost.chips) m_.wait(chip, ready.after, {ready.at - clocks_[0]}, times);
        note_wait(cost, ready.after, clocks_[0], ready.at, n);
      }
      start = algorithms::max(start, clocks_[0]);
    } else if (!beside && (needs.together || waits_for_host(kind))) {
      for (const auto& [chip, p] : cost.chips) start = algorithms::max(start, clocks_[chip]);
    }
    start += wait_for_host(s, kind, start, beside, times, n);
    start = links_.free_for(needs.links, start + needs.link_wait, needs.link_time) - needs.link_wait;
    const time_span taken = beside ? time_span{start, start + m_.beside(s, times).value} : on_chips(s, cost, needs.together, start, times, exchanged, n);
    boxes_.use(needs.boxes, taken.end, needs.of);
    links_.take(needs.links, start + needs.link_wait, needs.link_time);
    span_.add(taken);
    last_ = algorithms::max(last_, taken.end);
  }

  /// Work of chips, from `start` on or when their clocks allow.
  time_span on_chips(const step& s, const leaf_cost& cost, bool together, std::uint64_t start, std::uint64_t times, bool& exchanged, notes n) {
    const bool syncs = meter::syncs_before(cost, exchanged);
    const cycles elapsed = m_.leaf(s, times, exchanged);
    for (std::size_t part = 0; n.phases != nullptr && part < cost.chips.size(); ++part)
      m_.note(cost, part, syncs, {one_clock() ? start : algorithms::max(start, clocks_[cost.chips[part].first])}, *n.phases);
    if (one_clock()) return {start, clocks_[0] = later(start, elapsed.value)};
    time_span taken;
    for (const auto& [chip, p] : cost.chips) {
      cycles own = syncs ? m_.system().chip.sync : cycles{};
      for (const cycles c : p.by_phase) own += c;
      const std::uint64_t from = algorithms::max(start, clocks_[chip]);
      clocks_[chip] = later(from, (together ? elapsed : own).value);
      taken.add({from, clocks_[chip]});
    }
    return cost.chips.empty() ? time_span{start, start} : taken;
  }

  template <class Kind>
  bool waits_for_host(const Kind& kind) const {
    if constexpr (requires { kind.stream; }) return hosts_.wait() && hosts_.waits_for(kind);
    return false;
  }
  template <class Kind>
  std::uint64_t wait_for_host(const step& s, const Kind& kind, std::uint64_t start, bool beside, std::uint64_t times, notes n) {
    if constexpr (requires { kind.stream; }) {
      if (!hosts_.wait()) return 0;
      const std::uint64_t waited = hosts_.wait_for(kind, start);
      if (waited > 0 && !beside) {
        m_.wait_for_host(s, {waited}, times);
        note_wait(m_.cost_of(s), phase::host, start, start + waited, n);
      }
      return waited;
    } else {
      return 0;
    }
  }
  static void note_wait(const leaf_cost& cost, phase of, std::uint64_t from, std::uint64_t to, notes n) {
    for (std::size_t part = 0; n.phases != nullptr && part < cost.chips.size(); ++part)
      n.phases->push_back({.chip = cost.chips[part].first, .what = of, .begin = {from}, .length = {to - from}});
  }
  /// The number of a list whose beginnings are counted from a time; what was waited for before it is left out.
  std::size_t number_of(light_vector<phase_run>& phases, cycles from) {
    erase_if(phases, [&](const phase_run& r) { return r.begin < from; });
    for (phase_run& r : phases) r.begin -= from;
    return book_.number_of(phases);
  }

  const leaf_needs& needs_of(const step& s, const leaf_cost& cost) {
    if (const leaf_needs* const found = needs_.find(&s)) return *found;
    return needs_.try_emplace(&s, impl::needs_of(racks_of(m_.system(), g_.chips()), g_, s, cost, boxes_, links_)).first->second;
  }

  [[nodiscard]] bool one_clock() const { return clocks_.size() == 1; }
  void in_order(const light_vector<step>& steps, std::uint64_t times, bool& exchanged, notes n) {
    for (const step& s : steps) step_of(s, times, exchanged, n);
  }

  void walk(const sequence_of& s, std::uint64_t times, bool& exchanged, notes n) { in_order(s.steps, times, exchanged, n); }

  /// From the beginning of its first leaf to the end of its last.
  void walk(const label_of& s, std::uint64_t times, bool& exchanged, notes n) {
    if (n.kept == nullptr || s.is_operation) return in_order(s.steps, times, exchanged, n);
    const time_span outer = algorithms::exchange(span_, {});
    activity seen{.label = s.label};
    light_vector<phase_run> phases;
    in_order(s.steps, times, exchanged, {&seen.inside, &phases});
    const time_span mine = span_.end == 0 ? time_span{last_, last_} : span_;
    seen.begin = {mine.begin};
    seen.length = {mine.end - mine.begin};
    for (activity& a : seen.inside) a.begin -= seen.begin;
    seen.phases = number_of(phases, seen.begin);
    n.kept->push_back(std::move(seen));
    span_ = outer;
    span_.add(mine);
  }

  void walk(const call& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    step_of(g_.functions()[s.function.index], times, exchanged, n);
    exchanged = false;
  }

  /// Chips that do not wait for each other are side by side by their clocks.
  void walk(const parallel_of& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    const std::uint64_t begin = clocks_[0];
    std::uint64_t end = begin;
    for (const step& inner : s.steps) {
      if (one_clock()) clocks_[0] = begin;
      step_of(inner, times, exchanged, n);
      end = algorithms::max(end, clocks_[0]);
      exchanged = false;
    }
    if (one_clock()) clocks_[0] = end;
  }

  void walk(const overlap_of& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    const light_vector<std::uint64_t> begin = clocks_;
    const light_vector<chip_profile> before = m_.chips();
    in_order(s.transfers, times, exchanged, n);
    exchanged = false;
    const light_vector<chip_profile> between = m_.chips();
    const light_vector<std::uint64_t> transferred = algorithms::exchange(clocks_, begin);
    in_order(s.compute, times, exchanged, n);
    exchanged = false;
    for (std::size_t c = 0; c < before.size(); ++c) {
      const std::size_t k = one_clock() ? 0 : c;
      m_.hide(c, before, between, {algorithms::min(transferred[k], clocks_[k]) - begin[k]}, times);
    }
    for (std::size_t k = 0; k < clocks_.size(); ++k) clocks_[k] = algorithms::max(transferred[k], clocks_[k]);
  }

  template <class Visit>
  void each_time(Visit visit) {
    for (std::uint64_t& t : clocks_) visit(t);
    links_.each_time(visit);
    boxes_.each_time(visit);
  }
  moment now() {
    moment made{{}, boxes_.counts()};
    each_time([&](std::uint64_t t) { made.times.push_back(t); });
    for (const std::uint64_t t : hosts_.state(0)) made.times.push_back(t);
    return made;
  }

  /// Once two turns have shifted all times alike, all others will.
  void walk(const repeat_of& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    light_vector<activity> groups;
    std::optional<std::uint64_t> shift;
    bool alike = false;
    moment before = now();
    for (std::size_t turn = 0; turn < s.count;) {
      const std::size_t many = alike && through_ == turns::multiplied ? s.count - turn : 1;
      light_vector<activity> inside;
      light_vector<phase_run> phases;
      const time_span before_turn = algorithms::exchange(span_, {});
      const bool noted = !alike && n.kept != nullptr;
      in_order(s.steps, times * many, exchanged, {noted ? &inside : nullptr, noted && n.phases != nullptr ? &phases : nullptr});
      exchanged = false;
      const moment after = now();
      const std::optional<std::uint64_t> shifted = shift_of(before, after);
      if (alike)
        groups.back().turns += many;
      else
        groups.push_back(group_of(std::move(inside), phases, {shifted.value_or(0)}));
      if (many > 1) skip(before, after, many - 1, *shifted);
      span_.add(before_turn);
      alike = shifted.has_value() && shifted == shift && boxes_.goes_on(before.counts);
      shift = shifted;
      before = after;
      turn += many;
    }
    for (activity& group : groups) {
      if (n.kept != nullptr && (!group.inside.empty() || group.phases > 0)) n.kept->push_back(std::move(group));
    }
  }

  void skip(const moment& before, const moment& after, std::uint64_t more, std::uint64_t shift) {
    std::size_t at = 0;
    const std::uint64_t by = (cycles{shift} * more).value;
    const auto shift_time = [&](std::uint64_t& t) {
      if (before.times[at] != after.times[at]) t = later(t, by);
      ++at;
    };
    for (std::uint64_t& t : clocks_) shift_time(t);
    links_.each_time(shift_time);
    light_vector<std::uint64_t> of_boxes;
    boxes_.each_time([&](std::uint64_t t) {
      shift_time(t);
      of_boxes.push_back(t);
    });
    boxes_.skip(before.counts, more, of_boxes);
    if (!algorithms::equal(after.times.begin() + at, after.times.end(), before.times.begin() + at, before.times.end())) hosts_.shift(by);
    span_.end = later(span_.end, by);
    last_ = algorithms::max(last_, span_.end);
  }

  /// A turn of a loop, from the begin of what is in it.
  activity group_of(light_vector<activity> inside, light_vector<phase_run>& phases, cycles length) {
    time_span all;
    for (const activity& a : inside) all.add({a.begin.value, 0});
    for (const phase_run& r : phases) all.add({r.begin.value, 0});
    for (activity& a : inside) a.begin -= {all.begin};
    return {.begin = {all.begin}, .length = length, .inside = std::move(inside), .phases = number_of(phases, {all.begin})};
  }

  meter& m_;
  const graph& g_;
  turns through_;
  Perform perform_;
  hosts& hosts_;
  box_times boxes_;
  light_vector<std::uint64_t> clocks_;  // one for all chips, or of each
  link_times links_;
  memo<const step*, leaf_needs> needs_;
  phase_book book_;
  time_span span_{};        // of the leaves of the innermost label
  std::uint64_t last_ = 0;  // when what ends last does
};

}  // namespace ipuflow::ipu::impl
