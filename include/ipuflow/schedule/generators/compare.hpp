// SPDX-License-Identifier: BSL-1.0
// Schedules side by side for one model on the same IPUs. A schedule with several stages on an IPU cuts the stages that were
// measured into as many: passes take a part of the time and keep a part of the values, messages stay as long, so that all of
// them do the same work.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/measured_costs.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/analysis/traffic.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::schedule {

/// A schedule among others; a whole stage is the share of the model that was measured for an IPU.
struct compared_schedule {
  std::string_view name{};        ///< of the schedule, as in the catalogue
  std::size_t parts = 1;          ///< stages that a whole one is cut into
  double makespan = 0;            ///< in the unit of the costs
  double bubble = 0;              ///< idle time over all time
  double peak = 0;                ///< values of whole stages that the fullest IPU keeps until their last use
  std::size_t weight_copies = 1;  ///< of the model: 2 where micro-batches run both ways
  std::size_t messages = 0;       ///< between IPUs
  schedule_fault refused{};       ///< why it takes no such sizes; then all else is empty
};

/// Stages of a timetable that make a whole one: stages per IPU; 1 where IPUs have different numbers of them.
template <timetable T>
[[nodiscard]] constexpr std::size_t parts_of(const T& t) {
  const bool even = t.where.ipus != 0 && t.where.stages % t.where.ipus == 0;
  return even ? algorithms::max<std::size_t>(t.where.stages / t.where.ipus, 1) : 1;
}

/// The costs of a timetable's stages where those of whole stages were measured, one for each IPU or one record for all: each
/// is cut into as many stages as an IPU has. A record for each of the timetable's own stages is taken as it is.
template <timetable T>
[[nodiscard]] measured_costs costs_of_parts(const T& t, const measured_costs& whole) {
  const std::size_t parts = parts_of(t);
  if (parts == 1 || whole.records() == t.where.stages) {
    throw_if(verify_costs(whole, t.where.stages));
    return whole;
  }
  throw_if(verify_costs(whole, t.where.ipus));
  return whole.cut(parts);
}

/// The sizes with as many stages an IPU as a schedule has in a comparison: as asked for; 0: 2 for those that exist for
/// several (with one each they are others of the list), otherwise what the schedule has.
[[nodiscard]] constexpr setup compared_setup(std::string_view name, setup asked) {
  if (asked.stages_per_ipu == 0 && (name == "interleaved_1f1b" || name == "looped_bfs")) asked.stages_per_ipu = 2;
  return asked;
}

namespace impl {

template <timetable T>
[[nodiscard]] compared_schedule figures_of(std::string_view name, const T& t, const measured_costs& costs) {
  compared_schedule row{.name = name, .refused = t.refused};
  if (row.refused) return row;
  row.parts = parts_of(t);
  const measured_costs own = costs_of_parts(t, costs);
  const times found = times_of(t, own);
  row.makespan = own.in_units(found.makespan);
  row.bubble = found.bubble();
  std::size_t most = 0;
  const counts kept = schedule::peak(t);
  for (std::size_t i = 0; i < kept.size(); ++i) most = algorithms::max(most, kept[i]);
  row.peak = t.run_for == mode::training ? static_cast<double>(most) / static_cast<double>(row.parts) : 0.0;
  row.weight_copies = t.where.directions();
  row.messages = messages(t).total();
  return row;
}

}  // namespace impl

/// All schedules of the mode, or those that are named, the fastest first and those that refuse the sizes or the mode last. The
/// number of stages per IPU is as asked for where a schedule lets one choose; 0: that of `compared_setup`.
[[nodiscard]] inline light_vector<compared_schedule> compare(const setup& asked, const measured_costs& costs, light_vector<std::string_view> names = {}) {
  throw_if(verify_costs(costs, asked.ipus));
  const bool named = !names.empty();
  if (!named) names.assign(std::begin(schedule_names), std::end(schedule_names));
  const auto before = [](const compared_schedule& a, const compared_schedule& b) {
    if (static_cast<bool>(a.refused) != static_cast<bool>(b.refused)) return static_cast<bool>(b.refused);
    return a.makespan < b.makespan;
  };
  light_vector<compared_schedule> rows;
  for (const std::string_view name : names) {
    setup own = compared_setup(name, asked);
    bool of_mode = true;
    const auto figures = [&](const auto& t) {
      of_mode = t.run_for == asked.run_for && t.refused.kind != schedule_wrong::training_only;
      if (!t.refused && t.run_for != asked.run_for) {
        return compared_schedule{.name = name, .refused = {schedule_wrong::inference_only}};
      }
      return impl::figures_of(name, t, costs);
    };
    compared_schedule row = with_schedule(name, own, costs, figures);
    if (row.refused.kind == schedule_wrong::stages_per_ipu) {
      own.stages_per_ipu = 0;
      row = with_schedule(name, own, costs, figures);
    }
    if (named || of_mode) rows.insert(algorithms::upper_bound(rows.begin(), rows.end(), row, before), row);
  }
  return rows;
}

}  // namespace ipuflow::schedule
