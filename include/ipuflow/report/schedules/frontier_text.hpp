// SPDX-License-Identifier: BSL-1.0
// The frontier of time and memory in words: as a table with the schedules of the catalogue below it, each beside what was found
// within its memory, as CSV, and as JSON.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/drawing/json_text.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/drawing/text_table.hpp>
#include <ipuflow/report/schedules/time_text.hpp>
#include <ipuflow/schedule/generators/catalogue_points.hpp>
#include <ipuflow/schedule/search/frontier.hpp>

#include <cstddef>
#include <string>

namespace ipuflow::report {

namespace impl {

[[nodiscard]] inline std::string metric_word(schedule::search_metric metric) {
  return metric == schedule::search_metric::span ? "span" : "makespan";
}

/// The shortest of those that hold no more than `bytes`; none if all hold more.
template <class = void>
[[nodiscard]] const schedule::frontier_point* point_within(const schedule::frontier_result& of, std::size_t bytes) {
  const schedule::frontier_point* found = nullptr;
  for (const schedule::frontier_point& point : of.points) {
    if (point.best.peak_bytes <= bytes && (found == nullptr || point.best.found() < found->best.found())) found = &point;
  }
  return found;
}

/// The stages whose activations are not kept: "recomputed 0 1, offloaded 3"; none: "-".
template <class = void>
[[nodiscard]] std::string treated_text(const schedule::searched& best) {
  std::string text;
  for (const auto how : {schedule::stash_choice::recomputed, schedule::stash_choice::offloaded}) {
    std::string stages;
    for (std::size_t stage = 0; stage < best.stashes.size(); ++stage) {
      if (best.stashes[stage] == how) stages.append(" ") += std::to_string(stage);
    }
    if (!stages.empty()) text.append(text.empty() ? "" : ", ").append(name_of(how)) += stages;
  }
  return text.empty() ? "-" : text;
}

/// The way of each stage's activations, as a member of a JSON object; nothing where there was nothing to decide.
template <class = void>
[[nodiscard]] std::string stashes_json(const schedule::searched& best) {
  std::string text;
  for (const schedule::stash_choice how : best.stashes) text.append(text.empty() ? ",\"stashes\":[" : ",") += json_text(name_of(how));
  return text.empty() ? text : text + "]";
}

/// True if the search of any point had something to decide.
template <class = void>
[[nodiscard]] bool decided(const schedule::frontier_result& of) {
  for (const schedule::frontier_point& point : of.points) {
    if (!point.best.stashes.empty()) return true;
  }
  return false;
}

/// The part by which a schedule is longer than its bound.
[[nodiscard]] inline std::string gap_text(const schedule::searched& best) {
  if (best.proved()) return "proved";
  return with_digits(100 * (static_cast<double>(best.found()) / static_cast<double>(best.lower_bound) - 1), 2) + " %";
}

}  // namespace impl

/// The frontier as a table of its points, and one of the catalogue's.
template <class Costs>
[[nodiscard]] std::string frontier_text(const schedule::frontier_result& of, const dynamic_array<schedule::catalogue_point>& others,
                                        schedule::search_metric metric, const Costs& costs) {
  const auto time = [&](std::size_t counted) { return impl::time_text(costs, counted); };
  const std::string word = impl::metric_word(metric);
  const std::string unit = impl::unit_text(costs).empty() ? "" : "," + impl::unit_text(costs);
  const bool decided = impl::decided(of);
  light_vector<std::string> heads{"limit, bytes", word + unit, "no less than", "above it", "held"};
  if (decided) heads.push_back("stages not kept");
  text_table found{heads};
  for (const schedule::frontier_point& point : of.points) {
    light_vector<std::string> cells{std::to_string(point.limit), time(point.best.found()), time(point.best.lower_bound), impl::gap_text(point.best),
                                   std::to_string(point.best.peak_bytes)};
    if (decided) cells.push_back(impl::treated_text(point.best));
    found.row(cells);
  }
  std::string text = found.text();
  if (others.empty()) return text;
  text_table rows{{"schedule", word + unit, "held", "found within that"}};
  bool elsewhere = false;
  for (const schedule::catalogue_point& other : others) {
    elsewhere = elsewhere || !other.placed_alike;
    const schedule::frontier_point* const point = impl::point_within(of, other.peak_bytes);
    rows.row({std::string{other.name} + (other.placed_alike ? "" : " *"), time(other.time), std::to_string(other.peak_bytes),
              point == nullptr ? "-" : time(point->best.found())});
  }
  text.append("\n") += rows.text();
  return elsewhere ? text + "\n* has its stages on other IPUs than were searched.\n" : text;
}

/// A line for each point and each schedule of the catalogue; cells that have no meaning are empty.
template <class Costs>
[[nodiscard]] std::string frontier_csv(const schedule::frontier_result& of, const dynamic_array<schedule::catalogue_point>& others,
                                       schedule::search_metric metric, const Costs& costs) {
  const auto time = [&](std::size_t counted) { return impl::time_text(costs, counted); };
  const bool decided = impl::decided(of);
  std::string text = "schedule,limit_bytes,peak_bytes," + impl::metric_word(metric) + ",lower_bound,proved" + (decided ? ",not_kept\n" : "\n");
  for (const schedule::frontier_point& point : of.points) {
    text += impl::joined("search,", std::to_string(point.limit), ",", std::to_string(point.best.peak_bytes), ",", time(point.best.found()), ",",
                         time(point.best.lower_bound), point.best.proved() ? ",true" : ",false",
                         decided ? ",\"" + impl::treated_text(point.best) + "\"\n" : "\n");
  }
  for (const schedule::catalogue_point& other : others) {
    text += impl::joined(std::string{other.name}, ",,", std::to_string(other.peak_bytes), ",", time(other.time), decided ? ",,,\n" : ",,\n");
  }
  return text;
}

/// The same as one JSON object.
template <class Costs>
[[nodiscard]] std::string frontier_json(const schedule::frontier_result& of, const dynamic_array<schedule::catalogue_point>& others,
                                        schedule::search_metric metric, const Costs& costs) {
  const auto time = [&](std::size_t counted) { return impl::time_text(costs, counted); };
  const std::string word = impl::metric_word(metric);
  std::string text = "{\"metric\":" + json_text(word) + ",\"frontier\":[";
  for (const schedule::frontier_point& point : of.points) {
    text += impl::joined(&point == of.points.begin() ? "" : ",", "{\"limit_bytes\":", std::to_string(point.limit), ",\"peak_bytes\":",
                         std::to_string(point.best.peak_bytes), ",\"", word, "\":", time(point.best.found()), ",\"lower_bound\":",
                         time(point.best.lower_bound), ",\"proved\":", point.best.proved() ? "true" : "false",
                         impl::stashes_json(point.best), "}");
  }
  text += "],\"catalogue\":[";
  for (const schedule::catalogue_point& other : others) {
    text += impl::joined(&other == others.begin() ? "" : ",", "{\"schedule\":", json_text(other.name), ",\"peak_bytes\":",
                         std::to_string(other.peak_bytes), ",\"", word, "\":", time(other.time), ",\"placed_alike\":",
                         other.placed_alike ? "true}" : "false}");
  }
  return text + "]}\n";
}

}  // namespace ipuflow::report
