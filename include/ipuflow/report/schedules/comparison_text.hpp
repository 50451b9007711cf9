// SPDX-License-Identifier: BSL-1.0
// A comparison of schedules as text: what follows from it in two sentences, then a line for each, the fastest first.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/drawing/text_table.hpp>
#include <ipuflow/report/schedules/time_text.hpp>
#include <ipuflow/schedule/generators/compare.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ipuflow::report {

namespace impl {

/// A time with as many digits as it needs to be compared, and its unit.
[[nodiscard]] inline std::string time_in(double time, const std::string& unit) {
  return shortest(time, 6) + (unit.empty() ? std::string{} : " " + unit);
}

/// The stages that were measured stay as they are, each on one IPU.
[[nodiscard]] inline bool keeps_stages(const schedule::compared_schedule& row) { return row.parts == 1 && row.weight_copies == 1; }

/// The work of the busiest whole stage in a run, or nothing where all of them work as long.
[[nodiscard]] inline std::string bound_of_whole_stages(const schedule::setup& asked, const schedule::measured_costs& costs) {
  const auto work = [&](std::size_t s) {
    const std::size_t backward = asked.run_for == mode::training ? costs.of(schedule::pass::backward, s) : 0;
    return asked.micro_batches * (costs.of(schedule::pass::forward, s) + backward);
  };
  std::size_t most = 0;
  bool even = true;
  for (std::size_t s = 1; s < asked.ipus; ++s) {
    even = even && work(s) == work(0);
    if (work(s) > work(most)) most = s;
  }
  if (even) return {};
  return time_in(costs.in_units(work(most)), costs.unit()) + ": stage " + std::to_string(most) + " alone works that long";
}

[[nodiscard]] inline std::string verdict_of(const light_vector<schedule::compared_schedule>& rows, const std::string& unit, const std::string& busiest) {
  const schedule::compared_schedule& best = rows.front();
  const auto short_of = [&](const schedule::compared_schedule& row) {
    return std::string{row.name} + " takes " + time_in(row.makespan, unit) + ", idle for " + with_digits(100 * row.bubble, 1) +
           " % of it, and keeps " + with_digits(row.peak, 1) + " values of a whole stage" +
           (row.weight_copies > 1 ? " and " + std::to_string(row.weight_copies) + " copies of the weights" : "");
  };
  std::string text = "Fastest: " + short_of(best) + ".\n";
  const schedule::compared_schedule* plain = nullptr;
  for (const auto& row : rows) plain = row.name == "1f1b" && !row.refused ? &row : plain;
  for (const auto& row : rows) {
    if (plain == nullptr || plain == &best) break;
    if (row.refused || row.peak > plain->peak || row.weight_copies > 1) continue;
    text += &row == &best ? "That is within the memory of 1f1b, which takes " + time_in(plain->makespan, unit) + ".\n"
                          : "Fastest within the memory of 1f1b: " + short_of(row) + ".\n";
    break;
  }
  if (algorithms::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.refused || keeps_stages(row); })) return text;
  const auto whole = algorithms::find_if(rows.begin(), rows.end(), [](const auto& row) { return !row.refused && keeps_stages(row); });
  if (whole != rows.end() && whole != rows.begin()) text += "Fastest that keeps your stages whole, each on one IPU: " + short_of(*whole) + ".\n";
  if (!busiest.empty()) text += "No schedule that keeps your stages whole, each on one IPU, is faster than " + busiest + ";\nthose with a * spread it over several.\n";
  return text;
}

}  // namespace impl

/// The table and verdict of `schedule::compare(asked, costs)`. `value_bytes` is kept by a whole stage for one micro-batch; 0: not known.
[[nodiscard]] inline std::string comparison_text(const light_vector<schedule::compared_schedule>& rows, const schedule::setup& asked,
                                                 const schedule::measured_costs& costs, std::size_t value_bytes = 0) {
  const std::string& unit = costs.unit();
  light_vector<std::string> head{"schedule", "stages/IPU", unit.empty() ? "time" : "time, " + unit, "idle", "kept"};
  if (value_bytes != 0) head.push_back("bytes");
  head.insert(head.end(), {"weights", "messages"});
  text_table table(std::move(head));
  bool any = false;
  std::string refused;
  bool cut = false;
  bool both_ways = false;
  for (const auto& row : rows) {
    if (row.refused) {
      refused += std::string{row.name} + ": " + std::string{message(row.refused).view()} + "\n";
      continue;
    }
    cut = cut || row.parts > 1;
    both_ways = both_ways || row.weight_copies > 1;
    any = true;
    light_vector<std::string> line{std::string{row.name} + (row.parts > 1 ? " *" : "") + (row.weight_copies > 1 ? " **" : ""),
            std::to_string(row.parts * row.weight_copies), impl::time_in(row.makespan, {}), impl::with_digits(100 * row.bubble, 1) + " %",
            impl::with_digits(row.peak, 1)};
    if (value_bytes != 0) line.push_back(impl::short_bytes(static_cast<std::uint64_t>(row.peak * static_cast<double>(value_bytes))));
    line.insert(line.end(), {"x" + std::to_string(row.weight_copies), std::to_string(row.messages)});
    table.row(std::move(line));
  }
  std::string text;
  if (any) {
    text = impl::verdict_of(rows, unit, impl::bound_of_whole_stages(asked, costs)) + "\n" + table.text(schedule::nowhere);
  }
  if (cut || both_ways) text += "\n";
  if (cut) {
    text += "* Each of your stages is cut into equal parts, as many as there are stages on an IPU, and an IPU has parts of several.\n"
            "  Passes take a part of its time and keep a part of its values, messages take as long.\n";
  }
  if (both_ways) text += "** Each of your stages is on two IPUs: micro-batches run both ways.\n";
  if (cut || both_ways) text += "`kept` counts values of whole stages, on the fullest IPU, until their last use.\n";
  if (!refused.empty()) text += "\nNot with these sizes:\n" + refused;
  return text;
}

}  // namespace ipuflow::report
