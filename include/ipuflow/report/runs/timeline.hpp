// SPDX-License-Identifier: BSL-1.0
// A run as rows of slices: one row for each IPU and one for the host. What overlaps on a row goes into lanes of its
// own, so that the slices of a lane follow each other or lie within each other, which is what viewers of traces ask
// for.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/report/runs/slice.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ipuflow::report {

/// A row of a picture: an IPU, or the host.
struct row {
  std::string name{};
  bool host = false;
  std::size_t lanes = 1;

  friend bool operator==(const row&, const row&) = default;
};

/// Times of a run that are told apart in pictures: until every IPU has begun its backwards it ramps up, since the first
/// of them has no forward left it ramps down.
struct run_times {
  std::uint64_t start = 0;   ///< in ticks of the timeline, as all of them
  std::uint64_t steady = 0;  ///< from here
  std::uint64_t drain = 0;   ///< to here, or nowhere if not after `steady`
  std::uint64_t finish = 0;  ///< end of the run

  friend constexpr bool operator==(const run_times&, const run_times&) = default;
};

/// Ticks from, and up to, which a run is looked at.
struct window {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  friend constexpr bool operator==(const window&, const window&) = default;
};

/// A run as slices in rows.
struct timeline {
  light_vector<row> rows{};
  light_vector<slice> slices{};    ///< by their starts, the longer first
  light_vector<run_times> runs{};  ///< of the timetable, one after the other
  std::uint64_t length = 0;       ///< in ticks
  std::uint64_t left_out = 0;     ///< slices of the run that are not here, as far as they were counted
  bool complete = true;           ///< false: the run goes on behind the last slice
  hertz ticks{1};                 ///< a second
  bool in_cycles = false;         ///< of the chips, else nanoseconds of the host

  /// None where it is not known how long a tick is.
  [[nodiscard]] double seconds_of(std::uint64_t time) const { return ticks.value > 0 ? static_cast<double>(time) / ticks.value : 0; }
};

/// Puts slices in order and gives each a lane.
template <class = void>
inline void arrange(timeline& t) {
  algorithms::sort(t.slices.begin(), t.slices.end(), [](const slice& a, const slice& b) {
    if (a.start != b.start) return a.start < b.start;
    if (a.finish != b.finish) return a.finish > b.finish;
    if (a.row != b.row) return a.row < b.row;
    if (a.kind != b.kind) return a.kind < b.kind;
    return a.stage != b.stage ? a.stage < b.stage : a.micro_batch < b.micro_batch;
  });
  light_vector<light_vector<light_vector<std::uint64_t>>> open(t.rows.size());  // finishes, inner ones last
  for (slice& s : t.slices) {
    light_vector<light_vector<std::uint64_t>>& lanes = open[s.row];
    for (s.lane = 0;; ++s.lane) {
      if (s.lane == lanes.size()) lanes.emplace_back();
      light_vector<std::uint64_t>& around = lanes[s.lane];
      while (!around.empty() && around.back() <= s.start) around.pop_back();
      if (around.empty() || s.finish <= around.back()) break;
    }
    lanes[s.lane].push_back(s.finish);
    t.rows[s.row].lanes = algorithms::max(t.rows[s.row].lanes, lanes.size());
  }
}

}  // namespace ipuflow::report
