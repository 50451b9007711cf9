// SPDX-License-Identifier: BSL-1.0
// The timeline of a part of a page: its slices as columns, idle times with their reasons, the messages between slices, the critical
// path, and what follows from the slices: numbers over time, and the breakdown of the busiest device.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/page/causes.hpp>
#include <ipuflow/report/page/part.hpp>
#include <ipuflow/report/page/series.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace ipuflow::report::impl {

/// One more than an index, and 0 for none.
constexpr std::uint64_t plus_one(std::size_t index) { return index == schedule::nowhere ? 0 : index + 1; }

template <class = void>
[[nodiscard]] std::string idle_json(page_columns& columns, const light_vector<idle_time>& idle) {
  json_members of;
  of.put("row", columns.add(idle.size(), [&](std::size_t i) { return idle[i].row; }));
  of.put("start", columns.add(idle.size(), [&](std::size_t i) { return idle[i].start; }));
  of.put("length", columns.add(idle.size(), [&](std::size_t i) { return idle[i].length; }));
  of.put("reason", columns.add(idle.size(), [&](std::size_t i) { return static_cast<std::size_t>(idle[i].reason); }));
  of.put("cause", columns.add(idle.size(), [&](std::size_t i) { return idle[i].cause == no_slice ? 0u : idle[i].cause + 1; }));
  std::string reasons;
  for (std::size_t r = 0; r < idle_reasons; ++r) reasons.append(r == 0 ? "[" : ",") += json_text(words_of(static_cast<idle_reason>(r)));
  return of.put("reasons", reasons + "]").text();
}

template <class = void>
[[nodiscard]] std::string columns_json(page_columns& columns, const light_vector<slice>& slices) {
  json_members of;
  const auto add = [&](const char* name, auto value) { of.put(name, columns.add(slices.size(), [&](std::size_t i) { return value(slices[i]); })); };
  add("row", [](const slice& s) { return s.row; });
  add("lane", [](const slice& s) { return s.lane; });
  add("kind", [](const slice& s) { return static_cast<std::size_t>(s.kind); });
  add("stage", [](const slice& s) { return plus_one(s.stage); });
  add("micro_batch", [](const slice& s) { return plus_one(s.micro_batch); });
  add("run", [](const slice& s) { return plus_one(s.run); });
  add("thread", [](const slice& s) { return plus_one(s.thread); });
  add("start", [](const slice& s) { return s.start; });
  add("length", [](const slice& s) { return s.finish - s.start; });
  return of.text();
}

/// The names of all kinds of slices.
template <class = void>
[[nodiscard]] std::string kinds_json() {
  std::string kinds;
  for (std::size_t k = 0; k < slice_kinds; ++k) kinds.append(k == 0 ? "[" : ",") += json_text(name_of(static_cast<slice_kind>(k)));
  return kinds + "]";
}

/// `more`: what else belongs to the timeline, a name and its data.
template <class = void>
[[nodiscard]] std::string timeline_json(page_columns& columns, const timeline& t, const run_causes& causes, const light_vector<std::pair<const char*, std::string>>& more) {
  json_members of;
  of.put("rows", json_list(t.rows, [](const row& r) { return json_members{}.add("name", r.name).add("host", r.host).add("lanes", r.lanes).text(); }));
  of.put("kinds", kinds_json<>()).add("length", t.length).add("left_out", t.left_out).add("complete", t.complete);
  of.put("runs", json_list(t.runs, [](const run_times& r) {
    return joined("[", std::to_string(r.start), ",", std::to_string(r.steady), ",", std::to_string(r.drain), ",", std::to_string(r.finish), "]");
  }));
  of.put("columns", columns_json<>(columns, t.slices)).put("idle", idle_json<>(columns, causes.idle));
  light_vector<std::uint32_t> to;
  for (std::uint32_t n = 0; n < causes.made_by.size(); ++n) {
    if (causes.made_by[n] != no_slice) to.push_back(n);
  }
  json_members links;
  links.put("from", columns.add(to.size(), [&](std::size_t i) { return causes.made_by[to[i]]; })).put("to", columns.add(to));
  of.put("links", links.text()).put("critical", columns.add(causes.critical));
  for (const auto& [name, data] : more) of.put(name, data);
  return of.text();
}

template <class = void>
[[nodiscard]] std::string series_json(page_columns& columns, const light_vector<time_series>& all) {
  return json_list(all, [&](const time_series& s) {
    json_members of;
    of.add("name", s.name).add("unit", s.unit).add("group", s.group);
    of.put("t", columns.add(s.points.size(), [&](std::size_t i) { return s.points[i].first; }));
    of.put("v", columns.add(s.points.size(), [&](std::size_t i) { return s.points[i].second; }));
    return of.add("steps", true).text();
  });
}

/// The row that works longest.
[[nodiscard]] inline std::size_t busiest_row(const timeline& t, const run_causes& causes) {
  std::size_t busiest = 0;
  for (std::size_t r = 0; r < t.rows.size(); ++r) {
    if (!t.rows[r].host && causes.rows[r].at_work() > causes.rows[busiest].at_work()) busiest = r;
  }
  return busiest;
}

/// A row's time by kinds of slices and reasons of idleness; what takes none is left out.
template <class = void>
[[nodiscard]] page_amounts amounts_of(const row_time& time) {
  page_amounts all;
  for (std::size_t k = 0; k < slice_kinds; ++k) {
    if (time.busy[k] > 0) all.emplace_back(name_of(static_cast<slice_kind>(k)), time.busy[k]);
  }
  for (std::size_t r = 0; r < idle_reasons; ++r) {
    if (time.idle[r] > 0) all.emplace_back(short_words_of(static_cast<idle_reason>(r)), time.idle[r]);
  }
  return all;
}

/// The bound of a run in a sentence: of the row that works longest its largest amount, or that even this one is idle.
template <class = void>
[[nodiscard]] std::string bound_of_rows(const timeline& t, const run_causes& causes) {
  if (t.rows.empty() || t.length == 0) return "";
  const std::size_t busiest = busiest_row(t, causes);
  std::uint64_t all = 0, largest = 0;
  std::string of;
  const page_amounts amounts = amounts_of<>(causes.rows[busiest]);
  for (const auto& [name, amount] : amounts) all += amount;
  const std::uint64_t work = causes.rows[busiest].at_work();
  const bool idles = 4 * (all - work) > all;
  std::size_t kinds = 0;
  for (const std::uint64_t b : causes.rows[busiest].busy) kinds += b > 0 ? 1 : 0;
  for (std::size_t i = idles ? kinds : 0; i < (idles ? amounts.size() : kinds); ++i) {
    if (amounts[i].second > largest) of = amounts[i].first, largest = amounts[i].second;
  }
  if (idles)
    return joined("Waiting bounds the time: even ", t.rows[busiest].name, ", which works most, is idle for ", percent(all - work, all), " % of it, ", percent(largest, all),
                  " % in ", of, ".");
  return joined(t.rows[busiest].name, " bounds the time: it works for ", percent(work, all), " % of it, ", percent(largest, all), " % in ", of, ".");
}

/// A table of what each row does, in parts of the run.
template <class = void>
[[nodiscard]] page_table rows_table(const timeline& t, const run_causes& causes) {
  page_table made{.title = "Time of each IPU, % of the run", .head = {""}};
  light_vector<std::size_t> rows;
  for (std::size_t r = 0; r < t.rows.size(); ++r) {
    if (t.rows[r].host) continue;
    rows.push_back(r);
    made.head.push_back(t.rows[r].name);
  }
  const auto add = [&](std::string name, auto amount) {
    light_vector<std::string> cells{std::move(name)};
    std::uint64_t sum = 0;
    for (const std::size_t r : rows) {
      sum += amount(causes.rows[r]);
      cells.push_back(percent(amount(causes.rows[r]), t.length));
    }
    if (sum > 0) made.rows.push_back(std::move(cells));
  };
  for (std::size_t k = 0; k < slice_kinds; ++k) add(name_of(static_cast<slice_kind>(k)), [&](const row_time& time) { return time.busy[k]; });
  for (std::size_t i = 0; i < idle_reasons; ++i)
    add(std::string(short_words_of(static_cast<idle_reason>(i))), [&](const row_time& time) { return time.idle[i]; });
  return made;
}

/// Writes a timeline and what follows from it.
template <class = void>
void add_timeline(page_part& part, const timeline& t, const run_causes& causes, const light_vector<std::pair<const char*, std::string>>& more = {}) {
  part.member("timeline", timeline_json<>(part.columns(), t, causes, more));
  part.member("series", series_json<>(part.columns(), series_of<>(t)));
}

}  // namespace ipuflow::report::impl
