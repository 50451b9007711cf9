// SPDX-License-Identifier: BSL-1.0
// Goes through a program with a clock for each chip. What a chip does moves its clock alone; a transfer between chips waits
// for those that take part. I/O tiles have no clock: what they do by themselves begins when their places are filled or free
// and the links on the way are, and a chip waits for it when it uses such a place.
#pragma once

#include <ipuflow/core/memo.hpp>
#include <ipuflow/ipu/engine/box_times.hpp>
#include <ipuflow/ipu/engine/host_queue.hpp>
#include <ipuflow/ipu/engine/link_times.hpp>
#include <ipuflow/ipu/engine/meter.hpp>
#include <ipuflow/ipu/engine/timed_walk.hpp>
#include <ipuflow/ipu/program/step_kind.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace ipuflow::ipu::impl {

/// `perform(leaf)` is called for each step that is not made of others, before it is counted.
template <class Perform>
class clock_walk {
 public:
  clock_walk(meter& m, const graph& g, turns through, std::size_t io_tiles, Perform perform)
      : m_{m},
        g_{g},
        through_{through},
        perform_{std::move(perform)},
        hosts_{g, m.clock()},
        boxes_{g, io_tiles},
        chips_(g.chips(), 0),
        links_{m.system()} {}

  /// The profile of a whole program.
  profile run(const step& program) {
    std::vector<activity> noted;
    bool exchanged = false;
    step_of(program, 1, exchanged, &noted);
    profile made = m_.finish({last_});
    made.activities = std::move(noted);
    return made;
  }

 private:
  /// Activities of a sequence, whose beginnings are counted from that of the program until they are put into others.
  using notes = std::vector<activity>*;

  /// What the walk needs to know of a leaf.
  struct known_leaf {
    box_uses boxes{};
    bool together = false;             // its chips begin and end together
    std::vector<std::size_t> links{};  // that it takes
    std::uint64_t link_time = 0;
  };

  struct span {
    std::uint64_t begin = static_cast<std::uint64_t>(-1);
    std::uint64_t end = 0;

    void add(span other) {
      begin = std::min(begin, other.begin);
      end = std::max(end, other.end);
    }
  };

  void step_of(const step& s, std::uint64_t times, bool& exchanged, notes n) {
    visit_kind(s, [&]<class Kind>(const Kind& kind) {
      if constexpr (leaf_step<Kind>) {
        perform_(kind);
        leaf(s, kind, times, exchanged);
      } else {
        walk(kind, times, exchanged, n);
      }
    });
  }

  template <class Kind>
  void leaf(const step& s, const Kind& kind, std::uint64_t times, bool& exchanged) {
    const known_leaf& known = knowledge_of(s);
    const leaf_cost& cost = m_.cost_of(s);
    std::uint64_t start = boxes_.ready(known.boxes);
    const bool beside = known.boxes.alone();
    if (!beside && (known.together || waits_for_host(kind))) {
      for (const auto& [chip, p] : cost.chips) start = std::max(start, chips_[chip]);
    }
    start += wait_for_host(kind, start, beside, times);
    start = links_.free_for(known.links, start + sync_between(), known.link_time) - sync_between();
    const span taken = beside ? span{start, start + m_.beside(s, times).value} : on_chips(s, cost, known.together, start, times, exchanged);
    boxes_.use(known.boxes, taken.end);
    links_.take(known.links, start + sync_between(), known.link_time);
    span_.add(taken);
    last_ = std::max(last_, taken.end);
  }

  /// Work of chips, from `start` on or when their clocks allow.
  span on_chips(const step& s, const leaf_cost& cost, bool together, std::uint64_t start, std::uint64_t times, bool& exchanged) {
    const bool syncs = cost.synchronises || (cost.computes && !exchanged);
    const cycles elapsed = m_.leaf(s, times, exchanged);
    span taken;
    for (const auto& [chip, p] : cost.chips) {
      const cycles own = std::accumulate(p.by_phase.begin(), p.by_phase.end(), syncs ? m_.system().chip.sync : cycles{});
      const std::uint64_t from = std::max(start, chips_[chip]);
      chips_[chip] = from + (together ? elapsed : own).value;
      taken.add({from, chips_[chip]});
    }
    return cost.chips.empty() ? span{start, start} : taken;
  }

  template <class Kind>
  bool waits_for_host(const Kind& kind) const {
    if constexpr (requires { kind.stream; }) return hosts_.wait() && hosts_.waits_for(kind);
    return false;
  }
  template <class Kind>
  std::uint64_t wait_for_host(const Kind& kind, std::uint64_t start, bool beside, std::uint64_t times) {
    if constexpr (requires { kind.stream; }) {
      if (!hosts_.wait()) return 0;
      const std::uint64_t waited = hosts_.wait_for(kind, start);
      if (waited > 0 && !beside) m_.wait(kind.variable, {waited}, times);
      return waited;
    } else {
      return 0;
    }
  }

  /// Before a transfer between chips, in which no link is in use.
  std::uint64_t sync_between() const { return m_.system().chip.global_sync.value; }

  const known_leaf& knowledge_of(const step& s) {
    if (const known_leaf* const found = known_.find(&s)) return *found;
    known_leaf made{.boxes = boxes_.uses_of(s)};
    const std::vector<chip_transfer>& transfers = m_.cost_of(s).transfers;
    for (const chip_transfer& t : transfers)
      for_each_link(m_.system(), t.from, t.to, [&](std::size_t link) { made.links.push_back(link); });
    if (!transfers.empty()) made.link_time = transfer_time(m_.system(), transfers).value - sync_between();
    made.together = !transfers.empty() || std::holds_alternative<synchronise>(s);
    return known_.try_emplace(&s, std::move(made)).first->second;
  }

  void in_order(const std::vector<step>& steps, std::uint64_t times, bool& exchanged, notes n) {
    for (const step& s : steps) step_of(s, times, exchanged, n);
  }

  void walk(const sequence_of& s, std::uint64_t times, bool& exchanged, notes n) { in_order(s.steps, times, exchanged, n); }

  /// From the beginning of its first leaf to the end of its last.
  void walk(const label_of& s, std::uint64_t times, bool& exchanged, notes n) {
    if (n == nullptr) return in_order(s.steps, times, exchanged, n);
    const span outer = std::exchange(span_, {});
    activity seen{.label = s.label};
    in_order(s.steps, times, exchanged, &seen.inside);
    const span mine = span_.end == 0 ? span{last_, last_} : span_;
    seen.begin = {mine.begin};
    seen.length = {mine.end - mine.begin};
    for (activity& a : seen.inside) a.begin -= seen.begin;
    n->push_back(std::move(seen));
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
    for (const step& inner : s.steps) {
      step_of(inner, times, exchanged, n);
      exchanged = false;
    }
  }

  void walk(const overlap_of& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    const std::vector<std::uint64_t> begin = chips_;
    const std::vector<chip_profile> before = m_.chips();
    in_order(s.transfers, times, exchanged, n);
    exchanged = false;
    const std::vector<chip_profile> between = m_.chips();
    const std::vector<std::uint64_t> transferred = std::exchange(chips_, begin);
    in_order(s.compute, times, exchanged, n);
    exchanged = false;
    for (std::size_t c = 0; c < chips_.size(); ++c) {
      m_.hide(c, before, between, {std::min(transferred[c], chips_[c]) - begin[c]}, times);
      chips_[c] = std::max(transferred[c], chips_[c]);
    }
  }

  /// All times that what comes depends on, and how often rings were used.
  struct moment {
    std::vector<std::uint64_t> times{};
    std::vector<std::uint64_t> counts{};
  };
  template <class Visit>
  void each_time(Visit visit) {
    for (std::uint64_t& t : chips_) visit(t);
    links_.each_time(visit);
    boxes_.each_time(visit);
  }
  moment now() {
    moment made{{}, boxes_.counts()};
    each_time([&](std::uint64_t t) { made.times.push_back(t); });
    for (const std::uint64_t t : hosts_.state(0)) made.times.push_back(t);
    return made;
  }

  /// By how much a turn from one moment to the next shifts all times; those that stay are not used in it. None if they
  /// are shifted by different amounts.
  static std::optional<std::uint64_t> shift_of(const moment& from, const moment& to) {
    std::uint64_t by = 0;
    for (std::size_t i = 0; i < from.times.size(); ++i) {
      const std::uint64_t moved = to.times[i] - from.times[i];
      if (moved == 0) continue;
      if (by != 0 && moved != by) return {};
      by = moved;
    }
    return by;
  }

  /// Once two turns have shifted all times alike, all others will.
  void walk(const repeat_of& s, std::uint64_t times, bool& exchanged, notes n) {
    exchanged = false;
    std::vector<activity> groups;
    std::optional<std::uint64_t> shift;
    bool alike = false;
    moment before = now();
    for (std::size_t turn = 0; turn < s.count;) {
      const std::size_t many = alike && through_ == turns::multiplied ? s.count - turn : 1;
      std::vector<activity> inside;
      const span before_turn = std::exchange(span_, {});
      in_order(s.steps, times * many, exchanged, alike || n == nullptr ? nullptr : &inside);
      exchanged = false;
      const moment after = now();
      const std::optional<std::uint64_t> shifted = shift_of(before, after);
      if (alike)
        groups.back().turns += many;
      else
        groups.push_back({.length = {shifted.value_or(0)}, .inside = std::move(inside)});
      if (many > 1) skip(before, after, many - 1, *shifted);
      span_.add(before_turn);
      alike = shifted.has_value() && shifted == shift && boxes_.goes_on(before.counts);
      shift = shifted;
      before = after;
      turn += many;
    }
    if (n != nullptr) note(groups, *n);
  }

  void skip(const moment& before, const moment& after, std::uint64_t more, std::uint64_t shift) {
    std::size_t at = 0;
    const auto later = [&](std::uint64_t& t) {
      if (before.times[at] != after.times[at]) t += shift * more;
      ++at;
    };
    for (std::uint64_t& t : chips_) later(t);
    links_.each_time(later);
    std::vector<std::uint64_t> of_boxes;
    boxes_.each_time([&](std::uint64_t t) {
      later(t);
      of_boxes.push_back(t);
    });
    boxes_.skip(before.counts, more, of_boxes);
    if (!std::equal(after.times.begin() + static_cast<std::ptrdiff_t>(at), after.times.end(), before.times.begin() + static_cast<std::ptrdiff_t>(at)))
      hosts_.shift(shift * more);
    span_.end += shift * more;
    last_ = std::max(last_, span_.end);
  }

  static void note(std::vector<activity>& groups, std::vector<activity>& kept) {
    for (activity& group : groups) {
      if (group.inside.empty()) continue;
      group.begin = group.inside[0].begin;
      for (const activity& a : group.inside) group.begin = std::min(group.begin, a.begin);
      for (activity& a : group.inside) a.begin -= group.begin;
      kept.push_back(std::move(group));
    }
  }

  meter& m_;
  const graph& g_;
  turns through_;
  Perform perform_;
  hosts hosts_;
  box_times boxes_;
  std::vector<std::uint64_t> chips_;  // the clock of each
  link_times links_;
  memo<const step*, known_leaf> known_;
  span span_{};            // of the leaves of the innermost label
  std::uint64_t last_ = 0;  // when what ends last does
};

}  // namespace ipuflow::ipu::impl
