// SPDX-License-Identifier: BSL-1.0
// The profile of a run on chips: the chips' profile, with the pass, stage and micro-batch of each activity. Loops stay
// loops, so a profile of a million micro-batches has no more activities than one of ten; `for_each` walks single ones.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/engine/profile.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ipuflow::run {

/// The kinds of work that a labelled part of a program does.
enum class chips_work : unsigned char {
  pass,      ///< of a stage
  stash,     ///< keeps what backward will need
  restore,   ///< brings it back
  infeed,    ///< from the host
  outfeed,   ///< to the host
  exchange,  ///< between stages, at the end of a step
  load,      ///< what a pass needs, from streaming memory, and arguments of a run, from the host
  store,     ///< what it leaves, to there
  clear,     ///< gradients
  reduce,    ///< gradients of several branches or of a stage that two chips have, or what is looked at of those of all stages
  update,    ///< of parameters, with what that takes over replicas and from streaming memory
  all_reduce  ///< gradients, or what else replicas add up or share: a part of an update
};

[[nodiscard]] constexpr std::string_view name_of(chips_work w) {
  constexpr std::string_view names[] = {"pass", "stash", "restore", "infeed", "outfeed", "exchange",
                                        "load", "store", "clear",   "reduce", "update",  "all-reduce"};
  return names[static_cast<std::size_t>(w)];
}

namespace impl {

/// True if the work is about one micro-batch.
[[nodiscard]] constexpr bool of_micro_batch(chips_work w) { return w <= chips_work::outfeed; }

}  // namespace impl

/// A label names the work, its stage, branch and micro-batch; `schedule::nowhere` where several share it.
struct chips_label {
  chips_work work = chips_work::pass;             ///< what is done
  std::size_t chip = schedule::nowhere;           ///< that does it
  std::size_t stage = schedule::nowhere;          ///< that it is done for
  schedule::pass pass = schedule::pass::forward;  ///< of the stage, if the work is `pass`

  friend constexpr auto operator<=>(const chips_label&, const chips_label&) = default;
};

/// One activity: a label, the micro-batch that it works on, and when.
struct chips_activity {
  chips_label what{};                           ///< its label
  std::size_t micro_batch = schedule::nowhere;  ///< `schedule::nowhere` if it is about none
  cycles start{};                               ///< cycle of the run
  cycles finish{};                              ///< cycle of the run
  std::size_t phases = 0;                       ///< number of its list among the phases of chips, whose begins are counted from `start`
};

/// The time that all activities of one label took together.
struct label_total {
  chips_label what{};       ///< the label
  std::uint64_t times = 0;  ///< that it ran
  cycles busy{};            ///< in all
};

namespace impl {

/// The program that all chips run together: steps of straight code, a loop, steps of straight code.
struct chips_shape {
  std::size_t ramp_up = 0;
  std::size_t body = 0;
  std::size_t repeats = 0;
  std::size_t ramp_down = 0;

  friend constexpr bool operator==(const chips_shape&, const chips_shape&) = default;
};

}  // namespace impl

/// A run of a timetable on chips: cycles, bytes and labelled work.
struct chips_profile {
  ipu::profile chips{};               ///< of one replica; its `activities` have labels that are indices of `labels`
  light_vector<chips_label> labels{};  ///< of the labelled work
  light_vector<light_vector<std::uint32_t>>
      order{};                    ///< for each label: micro-batches of a run as they come; none: 0, 1, 2, ...
  impl::chips_shape shape{};
  std::size_t runs = 1;           ///< of the timetable: updates in training
  std::size_t micro_batches = 1;  ///< of a run

  /// One entry for each label that has run, in the order of labels.
  template <class = void>
  [[nodiscard]] light_vector<label_total> totals() const {
    light_vector<label_total> sums;
    for (const chips_label& l : labels) sums.push_back({l, 0, {}});
    for (const ipu::activity& a : chips.activities) add(sums, a, 1);
    erase_if(sums, [](const label_total& t) { return t.times == 0; });
    return sums;
  }

  /// Calls `visit(const chips_activity&)` for the activities in the order of their starts on each chip; stops when it
  /// returns false.
  template <class Visit>
  void for_each(Visit visit) const {
    light_vector<std::size_t> seen(labels.size(), 0);
    each_turn([&](const ipu::activity& a, cycles start) {
      if (a.label == ipu::no_label) return true;
      const std::size_t micro_batch = next_of(a.label, seen[a.label]++);
      return visit(chips_activity{labels[a.label], micro_batch, start, start + a.length, a.phases});
    });
  }

  /// Calls `visit(number of a list among the phases of chips, cycle that its begins are counted from)` for all that is in a labelled
  /// step; stops when it returns false.
  template <class Visit>
  void for_each_phases(Visit visit) const {
    each_turn([&](const ipu::activity& a, cycles start) { return a.phases == 0 || visit(a.phases, start); });
  }

 private:
  template <class = void>
  static void add(light_vector<label_total>& sums, const ipu::activity& a, std::uint64_t times) {
    if (a.label != ipu::no_label) {
      sums[a.label].times += times * a.turns;
      sums[a.label].busy += a.length * (times * a.turns);
    }
    for (const ipu::activity& inner : a.inside) add(sums, inner, times * a.turns);
  }

  /// The micro-batch of a label's next activity.
  std::size_t next_of(std::size_t label, std::size_t number) const {
    if (!impl::of_micro_batch(labels[label].work)) return schedule::nowhere;
    const auto& listed = order[label];
    return listed.empty() ? number % micro_batches : listed[number % listed.size()];
  }

  template <class Visit>
  void each_turn(const Visit& visit) const {
    for (const ipu::activity& a : chips.activities) {
      if (!each_turn(a, {}, visit)) return;
    }
  }
  template <class Visit>
  static bool each_turn(const ipu::activity& a, cycles from, const Visit& visit) {
    cycles start = from + a.begin;
    for (std::uint64_t turn = 0; turn < a.turns; ++turn, start += a.length) {
      if (!visit(a, start)) return false;
      for (const ipu::activity& inner : a.inside) {
        if (!each_turn(inner, start, visit)) return false;
      }
    }
    return true;
  }
};

}  // namespace ipuflow::run
