// SPDX-License-Identifier: BSL-1.0
// Makespan, busy time and bubbles of a run. The bubble is the idle part of the whole run; the span bubble counts only
// the time between an IPU's first and last operation, because the skew at the ends can overlap with the runs before
// and after.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/schedule/analysis/closed_times.hpp>
#include <ipuflow/schedule/analysis/timeline.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// The time of one IPU.
struct ipu_time {
  std::size_t first = 0;  ///< start of the first operation
  std::size_t last = 0;   ///< end of the last one, weight updates included
  std::size_t busy = 0;   ///< sum of the costs of its operations

  friend constexpr bool operator==(const ipu_time&, const ipu_time&) = default;
};

/// The makespan of a schedule, and the time of every IPU.
struct times {
  std::size_t makespan = 0;                     ///< from the first start to the last end, in the unit of the costs
  bounded_vector<ipu_time, most_stages> ipu{};  ///< one for each IPU, in order

  friend constexpr bool operator==(const times&, const times&) = default;

  constexpr std::size_t busy(std::size_t i) const { return ipu[i].busy; }
  constexpr std::size_t idle(std::size_t i) const { return makespan - ipu[i].busy; }
  constexpr std::size_t span(std::size_t i) const { return ipu[i].last - ipu[i].first; }

  /// Idle time over the time of all IPUs.
  constexpr double bubble() const {
    double sum = 0;  // of all IPUs it may be more than a whole number holds
    for (std::size_t i = 0; i < ipu.size(); ++i) sum += static_cast<double>(idle(i));
    return makespan == 0 ? 0.0 : sum / (static_cast<double>(makespan) * static_cast<double>(ipu.size()));
  }
  constexpr double bubble(std::size_t i) const {
    return makespan == 0 ? 0.0 : static_cast<double>(idle(i)) / static_cast<double>(makespan);
  }
  /// One less the work of the busiest IPU over the longest span.
  constexpr double span_bubble() const {
    std::size_t longest = 0;
    std::size_t most = 0;
    for (std::size_t i = 0; i < ipu.size(); ++i) {
      if (span(i) > longest) longest = span(i);
      if (busy(i) > most) most = busy(i);
    }
    return longest == 0 ? 0.0 : 1.0 - static_cast<double>(most) / static_cast<double>(longest);
  }
};

namespace impl {

/// Updates that the timetable does not have come behind all else on their IPU.
template <timetable T, pricing Costs>
constexpr void count_updates(const T& t, const Costs& c, times& found) {
  for_each_update(t, [&](std::size_t ipu, std::size_t stage) {
    found.ipu[ipu].last += c.of(pass::update, stage);
    found.ipu[ipu].busy += c.of(pass::update, stage);
  });
}

/// The makespan, when all IPUs have their times.
constexpr void settle(times& found) {
  for (ipu_time& i : found.ipu) {
    if (i.first == nowhere) i.first = 0;
    if (i.last > found.makespan) found.makespan = i.last;
  }
}

/// The times of all IPUs without updates that the timetable does not have; true if it has some.
template <timetable T, pricing Costs>
constexpr bool walked_times(const T& t, const Costs& c, times& found) {
  for (ipu_time& i : found.ipu) i = {nowhere, 0, 0};
  bool updates = false;
  for_each_timed(t, c, [&](std::size_t ipu, std::size_t, const placed& o, span_of_time span) {
    ipu_time& i = found.ipu[ipu];
    if (span.start < i.first) i.first = span.start;
    if (span.finish > i.last) i.last = span.finish;
    i.busy += c.of(o.kind, o.stage);
    updates = updates || o.kind == pass::update;
  });
  return updates;
}

/// The same at a cost that does not grow with the micro-batches, where there are many in a closed form.
template <timetable T, pricing Costs>
constexpr bool run_times(const T& t, const Costs& c, times& found) {
  for (std::size_t i = 0; i < t.where.ipus; ++i) found.ipu.push_back({nowhere, 0, 0});
  if constexpr (runs_in_rounds<T>) {
    const auto note = [&](std::size_t ipu, std::size_t first, std::size_t last, std::size_t busy) {
      found.ipu[ipu] = {first, last, busy};
    };
    if (worth_rounds(t) && timed_in_rounds(t, c, note)) return false;
  }
  return walked_times(t, c, found);
}

/// The fewest steps that a run can take whose IPUs run one operation a step: an IPU waits for its first forward, does all that it has,
/// and what it does last has to come back.
template <class Where>
[[nodiscard]] constexpr std::size_t least_steps(const modular<Where>& t) {
  std::size_t most = 0;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    std::size_t before = nowhere;
    std::size_t behind = nowhere;
    t.for_each_line(ipu, [&](const part&, const line&, pass kind, std::size_t stage, std::size_t) {
      const std::size_t on_its_way = kind == pass::backward_weights ? 0 : t.run_for == mode::training ? stage : t.where.stages - 1 - stage;
      if (stage < before) before = stage;
      if (on_its_way < behind) behind = on_its_way;
    });
    const std::size_t own = t.count(ipu);
    if (own > 0 && before + own + behind > most) most = before + own + behind;
  }
  return most;
}

}  // namespace impl

/// The times of a run. The weights of each stage are updated after the last operation of its IPU, unless the timetable
/// has updates of its own.
template <timetable T, pricing Costs = costs>
[[nodiscard]] constexpr times times_of(const T& t, const Costs& c = {}) {
  times found;
  const bool updates = impl::run_times(t, c, found);
  if (!updates) impl::count_updates(t, c, found);
  impl::settle(found);
  return found;
}

/// The steps of a timetable: its own where IPUs step together, otherwise one for each operation, as early as possible.
template <timetable T>
[[nodiscard]] constexpr std::size_t step_count(const T& t) {
  if constexpr (requires { t.steps(); }) {
    if (t.goes != pace::freely) return t.steps();
  }
  if constexpr (requires { impl::least_steps(t); }) {
    if (t.alone && !t.refused && t.steps() == impl::least_steps(t)) return t.steps();  // its own steps are a run
  }
  std::size_t last = 0;
  if constexpr (impl::runs_in_rounds<T>) {
    const auto note = [&](std::size_t, std::size_t, std::size_t end, std::size_t) { last = end > last ? end : last; };
    if (impl::worth_rounds(t) && impl::timed_in_rounds(t, impl::one_step_each{}, note)) return last;
  }
  for_each_timed(t, impl::one_step_each{}, [&](std::size_t, std::size_t, const placed&, span_of_time span) {
    if (span.finish > last) last = span.finish;
  });
  return last;
}

/// The time of a run whose steps end together, as those of the vendor's schedules do: each step lasts as long as its
/// longest IPU. Interleaving pays a backward in nearly every step, grouping in each step a forward and a backward.
template <closed_form T, pricing Costs = costs>
[[nodiscard]] constexpr std::size_t lock_step_makespan(const T& t, const Costs& c = {}) {
  std::size_t total = 0;
  const std::size_t steps = t.steps();
  for (std::size_t step = 0; step < steps; ++step) {
    std::size_t longest = 0;
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      std::size_t time = 0;
      for (const op& o : t.ops(ipu, step)) time += c.of(o.kind, o.stage);
      if (time > longest) longest = time;
    }
    total += longest;
  }
  return total;
}

template <timetable T, pricing Costs = costs>
[[nodiscard]] constexpr std::size_t makespan(const T& t, const Costs& c = {}) {
  return times_of(t, c).makespan;
}

/// The idle part of a run, from 0 to 1.
template <timetable T, pricing Costs = costs>
[[nodiscard]] constexpr double bubble(const T& t, const Costs& c = {}) {
  return times_of(t, c).bubble();
}

template <timetable T, pricing Costs = costs>
[[nodiscard]] constexpr double span_bubble(const T& t, const Costs& c = {}) {
  return times_of(t, c).span_bubble();
}

}  // namespace ipuflow::schedule
