// SPDX-License-Identifier: BSL-1.0
// A timetable as a part of a page: its operations in steps, its FIFOs, and the least time that its order allows as a timeline. Behind
// a run it is the plan that stands beside what became of it.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/page/timeline_part.hpp>
#include <ipuflow/report/runs/run_marks.hpp>
#include <ipuflow/report/schedules/schedule_svg.hpp>
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/timeline.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ipuflow::report {

/// A timetable with what its passes cost, for `part`.
template <schedule::timetable T, schedule::pricing Costs>
struct priced_timetable {
  const T& timetable;
  const Costs& costs;
};
template <schedule::timetable T, schedule::pricing Costs>
[[nodiscard]] priced_timetable<T, Costs> with_costs(const T& t, const Costs& c) {
  return {t, c};
}

namespace impl {

/// The operations of a timetable as columns, and the depths of its FIFOs.
template <class T>
[[nodiscard]] std::string schedule_json(page_columns& columns, const T& t, std::string_view name) {
  struct planned {
    schedule::placed what{};
    std::size_t ipu = 0;
  };
  light_vector<planned> all;
  std::size_t steps = 0;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    for (auto w = t.walk(ipu); w; ++w) {
      all.push_back({*w, ipu});
      steps = algorithms::max(steps, w->step + 1);
    }
  }
  json_members of, lists;
  const auto add = [&](const char* key, auto value) { lists.put(key, columns.add(all.size(), [&](std::size_t i) { return value(all[i]); })); };
  add("ipu", [](const planned& p) { return p.ipu; });
  add("step", [](const planned& p) { return p.what.step; });
  add("kind", [](const planned& p) { return static_cast<std::size_t>(kind_of(p.what.kind)); });
  add("stage", [](const planned& p) { return plus_one(p.what.stage); });
  add("micro_batch", [](const planned& p) { return plus_one(p.what.micro_batch); });
  of.add("name", name).add("ipus", t.where.ipus).add("stages", t.where.stages).add("micro_batches", t.where.micro_batches).add("steps", steps);
  of.add("training", t.run_for == mode::training).put("kinds", kinds_json<>()).put("columns", lists.text());
  std::string stash;
  const auto depths = schedule::fifo_depths(t);
  for (std::size_t stage = 0; stage < depths.size(); ++stage)
    stash.append(stage == 0 ? "[" : ",") += json_members{}.add("stage", stage).add("depth", depths[stage]).text();
  return of.put("stash", stash.empty() ? "[]" : stash + "]").text();
}

/// The least time of the order of a timetable.
template <class T, class Costs>
[[nodiscard]] timeline timeline_of_schedule(const T& t, const Costs& c) {
  timeline made{.in_cycles = true};
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) made.rows.push_back({.name = "IPU " + std::to_string(ipu)});
  run_marks marks;
  schedule::for_each_timed_and_updates(t, c, [&](std::size_t ipu, const schedule::placed& o, schedule::span_of_time span) {
    if (span.start == span.finish) return;  // what costs nothing cannot be seen
    slice s{.kind = kind_of(o.kind), .row = ipu, .stage = o.stage, .start = span.start, .finish = span.finish};
    if (o.kind != schedule::pass::update) {  // that is none of one micro-batch
      s.micro_batch = o.micro_batch;
      s.run = marks.note(s);
    }
    made.slices.push_back(s);
    made.length = algorithms::max<std::uint64_t>(made.length, span.finish);
  });
  made.runs = marks.times();
  arrange(made);
  return made;
}

template <class T>
void add_fifos(page_part& part, const T& t) {
  page_table fifos{.title = "Stashes of the schedule", .note = "FIFO: later forwards while a value is kept. In flight: values at once, the newest included.", .head = {"", "FIFO depth", "in flight"}};
  const auto depths = schedule::fifo_depths(t);
  const auto alive = schedule::in_flight(t);
  for (std::size_t stage = 0; stage < depths.size(); ++stage) fifos.rows.push_back({"stage " + std::to_string(stage), with_commas(depths[stage]), with_commas(alive[stage])});
  part.table(std::move(fifos));
}

template <class T, class Costs>
void describe_priced(page_part& part, const T& t, const Costs& c) {
  throw_if(t.refused);
  if (part.is_begun()) {  // what became of it is shown already
    part.member("schedule", schedule_json(part.columns(), t, ""));
    return add_fifos(part, t);
  }
  const timeline made = timeline_of_schedule(t, c);
  const run_causes causes = causes_of<>(made, false);
  page_ticks ticks{.name = "units"};
  double in_one = 1;  // what is counted, of the unit
  std::string unit;
  if constexpr (requires { c.per_unit(); }) {
    in_one = static_cast<double>(c.per_unit());
    unit = c.unit();
    if (in_one != 1)
      ticks.name = joined("1/", std::to_string(c.per_unit()), " ", unit.empty() ? "unit" : unit);
    else if (!unit.empty())
      ticks.name = unit;
    const double units = c.unit() == "ns" ? 1e9 : c.unit() == "us" ? 1e6 : c.unit() == "ms" ? 1e3 : c.unit() == "s" ? 1 : 0;
    ticks.per_second = units * in_one;
  }
  part.begin("schedule", ticks, bound_of_rows<>(made, causes));
  const schedule::times times = schedule::times_of(t, c);
  part.number("makespan", static_cast<double>(times.makespan) / in_one, unit, "speed");
  part.number("bubble", 100 * times.bubble(), "%", "speed");
  part.number("IPUs", static_cast<double>(t.where.ipus), "", "sizes");
  part.number("stages", static_cast<double>(t.where.stages), "", "sizes");
  part.number("micro-batches of a run", static_cast<double>(t.where.micro_batches), "", "sizes");
  part.fact("for", t.run_for == mode::training ? "training" : "inference", "sizes");
  part.member("schedule", schedule_json(part.columns(), t, ""));
  add_fifos(part, t);
  if (made.slices.empty()) return;
  const row_time& busiest = causes.rows[busiest_row(made, causes)];
  part.breakdown(amounts_of<>(busiest), made.length);
  part.table(rows_table<>(made, causes));
  part.picture(schedule_svg(t, c), "The schedule");
  add_timeline<>(part, made, causes);
}

template <schedule::timetable T>
void describe(page_part& part, const T& t) {
  describe_priced(part, t, schedule::costs{});
}
template <class T, class Costs>
void describe(page_part& part, const priced_timetable<T, Costs>& of) {
  describe_priced(part, of.timetable, of.costs);
}

}  // namespace impl

}  // namespace ipuflow::report
