// SPDX-License-Identifier: BSL-1.0
// Finds the runs of a timetable in what happened, and where each ramps up and down, knowing nothing of the schedule: a
// run begins on an IPU when it does an operation again. Where a micro-batch is through before the next one begins,
// there are no ramps.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/runs/timeline.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::report {

namespace impl {

template <class = void>
class basic_run_marks {
 public:
  /// Takes notice of a pass; of each IPU in order. Returns the number of its run.
  std::size_t note(const slice& s) {
    const auto [first, unseen] = firsts_.try_emplace({s.row, s.stage, s.kind}, {s.micro_batch, 0});
    if (!unseen && first->second.first == s.micro_batch) ++first->second.second;
    const std::size_t number = first->second.second;
    if (number >= runs_.size()) runs_.resize(number + 1);
    marks& run = runs_[number];
    if (s.row >= run.rows.size()) run.rows.resize(s.row + 1);
    of_row& here = run.rows[s.row];
    here.begin = algorithms::min(here.begin, s.start);
    run.start = algorithms::min(run.start, s.start);
    run.finish = algorithms::max(run.finish, s.finish);
    if (is_backward(s.kind)) here.first_backward = algorithms::min(here.first_backward, s.start);
    if (s.kind == slice_kind::forward) {
      if (here.last_forward == 0) here.first = {s.micro_batch, s.finish};
      if (s.micro_batch != here.first.first) here.next_forward = algorithms::min(here.next_forward, s.start);
      here.last_forward = algorithms::max(here.last_forward, s.finish);
    }
    return number;
  }

  [[nodiscard]] light_vector<run_times> times() const {
    light_vector<run_times> all;
    for (const marks& m : runs_) all.push_back(times_of(m));
    return all;
  }

 private:
  static constexpr std::uint64_t never = static_cast<std::uint64_t>(-1);

  /// A pass of a stage on a row: a std::tuple would cost more to compile than all else here.
  struct kind_of_work {
    std::size_t row = 0;
    std::size_t stage = 0;
    slice_kind kind = slice_kind::forward;

    friend constexpr auto operator<=>(const kind_of_work&, const kind_of_work&) = default;
  };
  struct of_row {
    std::uint64_t begin = never;
    std::uint64_t first_backward = never;
    std::uint64_t last_forward = 0;
    light_pair<std::size_t, std::uint64_t> first{};  // forward: its micro-batch and its end
    std::uint64_t next_forward = never;             // of another micro-batch
  };
  struct marks {
    light_vector<of_row> rows{};
    std::uint64_t start = never;
    std::uint64_t finish = 0;
  };

  static run_times times_of(const marks& m) {
    run_times t{m.start, m.start, m.finish, m.finish};
    const bool trains =
        algorithms::any_of(m.rows.begin(), m.rows.end(), [](const of_row& r) { return r.first_backward != never; });
    std::uint64_t first_through = 0;
    std::uint64_t next_begins = never;
    for (const of_row& r : m.rows) {
      if (r.begin == never) continue;
      first_through = algorithms::max(first_through, r.first.second);
      next_begins = algorithms::min(next_begins, r.next_forward);
      const std::uint64_t begins = trains ? r.first_backward : r.begin;
      if (begins != never) t.steady = algorithms::max(t.steady, begins);
      if (r.last_forward > 0) t.drain = algorithms::min(t.drain, r.last_forward);
    }
    if (next_begins >= first_through) t.drain = t.steady = m.start;  // one at a time
    return t;
  }

  flat_map<kind_of_work, light_pair<std::size_t, std::size_t>> firsts_;
  light_vector<marks> runs_;
};
using run_marks = basic_run_marks<>;

}  // namespace impl

}  // namespace ipuflow::report
