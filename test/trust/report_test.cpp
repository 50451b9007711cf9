// SPDX-License-Identifier: BSL-1.0
// Whatever is shown of a schedule, a plan or a run, with every allocation failing in turn; files on the way to the disk are those of files_test.
#include "injection.hpp"

#include "../report/hand_made.hpp"
#include "../report/plans/planned.hpp"
#include "../report/schedules/frontier_of_two.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/report.hpp>
#include <ipuflow/report/page/page.hpp>
#include <ipuflow/report/plans/plan_json.hpp>
#include <ipuflow/report/plans/plan_text.hpp>
#include <ipuflow/report/schedules/comparison_text.hpp>
#include <ipuflow/report/schedules/frontier_svg.hpp>
#include <ipuflow/report/schedules/frontier_text.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trust_report_test {

using namespace ipuflow;

TEST_CASE("texts, pictures, traces and pages: the same after a failure as before") {
  const auto timetable = schedule::grouped({.ipus = 2, .micro_batches = 8});
  const auto on_chips = hand_made::on_chips(timetable);
  const auto on_host = hand_made::on_host(timetable);
  const auto printed = [](auto&& write) {
    std::ostringstream out;
    out.exceptions(std::ios::badbit | std::ios::failbit);  // a stream of the standard library would keep a failure to itself
    write(out);
    return out.str();
  };
  const std::vector<std::pair<const char*, std::function<std::string()>>> all{
      {"schedule as SVG", [&] { return report::schedule_svg(timetable); }},
      {"schedule as a trace", [&] { return report::schedule_trace(timetable); }},
      {"schedule as text", [&] { return report::schedule_text(schedule::tabulate(timetable)); }},
      {"plan as text", [&] { return report::plan_text(planned::prediction(), planned::choice(), {.network = "a", .chip = "mk2", .stages = {"a", "b"}}); }},
      {"plan as JSON", [&] { return report::plan_json(planned::prediction(), planned::choice(), {.network = "a", .chip = "mk2", .stages = {"a", "b"}}); }},
      {"frontier as text", [&] { return report::frontier_text(test::frontier_of_two(), test::two_others(), schedule::search_metric::span, schedule::costs{}); }},
      {"frontier as SVG", [&] { return report::frontier_svg(test::frontier_of_two(), test::two_others(), schedule::search_metric::span, schedule::costs{}); }},
      {"summary of chips", [&] { return report::summary(on_chips); }},
      {"timeline of chips", [&] { return report::timeline_svg(on_chips); }},
      {"memory of chips", [&] { return report::memory_over_steps_svg(on_chips.chips); }},
      {"tiles of chips", [&] { return report::memory_by_tile_svg(on_chips.chips); }},
      {"trace of chips", [&] { return printed([&](std::ostream& out) { report::trace_json(out, on_chips); }); }},
      {"timeline of a run", [&] { return report::timeline_svg(on_host); }},
      {"trace of a run", [&] { return printed([&](std::ostream& out) { report::trace_json(out, on_host); }); }},
      {"page", [&] {
         return printed([&](std::ostream& out) {
           report::page(out, {.title = "All", .command = "run me"}, report::part("threads", on_host),
                        report::part("chips", on_chips, timetable, report::page_samples{16}),
                        report::part("plan", report::page_plan{planned::prediction(), planned::choice()}), report::part("order", timetable));
         });
       }},
  };
  for (const auto& one : all) {
    const std::string wanted = one.second();
    CHECK(wanted.size() > 50);
    const auto same = [&] {
      const std::string found = one.second();  // outside of CHECK, which catches what is thrown
      CHECK(found == wanted);
    };
    trust::walk(one.first, trust::fault::allocation, same, [](bool) {}, true, std::string_view{one.first} == "page" ? trust::far_apart : 1);
  }
}

}  // namespace trust_report_test
