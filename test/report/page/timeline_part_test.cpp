// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/timeline_part.hpp>

#include <ipuflow/report/runs/host_timeline.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>

#include <doctest/doctest.h>

#include "report/hand_made.hpp"
#include "report/page_reader.hpp"

#include <string>

namespace timeline_part_test {

using namespace ipuflow;
using namespace ipuflow::report::impl;

TEST_CASE("the columns of a page are the slices of the timeline, idle times stand beside them, and each link is a dependency") {
  const report::timeline t = report::timeline_of(hand_made::on_host(schedule::one_f_one_b({.ipus = 3, .micro_batches = 6}), 2));
  const run_causes causes = causes_of<>(t, false);
  report::page_columns columns;
  page_part part{"p", columns};
  part.begin("threads", {.per_second = 1e9, .name = "ns"}, bound_of_rows<>(t, causes));
  add_timeline<>(part, t, causes);
  const page_reader::container read{columns.container(part.json())};
  const json::value& line = read.header["timeline"];
  const auto column = [&](const char* name) { return read.numbers(line["columns"][name]); };
  const auto same = [&](const char* name, auto of) {
    const std::vector<double> numbers = column(name);
    REQUIRE(numbers.size() == t.slices.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) CHECK(numbers[i] == static_cast<double>(of(t.slices[i])));
  };
  using report::slice;
  same("row", [](const slice& s) { return s.row; });
  same("lane", [](const slice& s) { return s.lane; });
  same("kind", [](const slice& s) { return static_cast<std::size_t>(s.kind); });
  same("stage", [](const slice& s) { return s.stage + 1; });  // nowhere is 0
  same("micro_batch", [](const slice& s) { return s.micro_batch + 1; });
  same("run", [](const slice& s) { return s.run + 1; });
  same("thread", [](const slice& s) { return s.thread + 1; });
  same("start", [](const slice& s) { return s.start; });
  same("length", [](const slice& s) { return s.finish - s.start; });
  CHECK(line["kinds"].items.size() == report::slice_kinds);
  CHECK(line["kinds"].items[0].text == "forward");
  CHECK(line["length"].number == static_cast<double>(t.length));
  CHECK(line["runs"].items.size() == 2);
  CHECK(line["rows"].items.back()["host"].boolean);

  // Idle times and slices of a row fill the run
  const std::vector<double> rows = read.numbers(line["idle"]["row"]), lengths = read.numbers(line["idle"]["length"]);
  const std::vector<double> reasons = read.numbers(line["idle"]["reason"]), idle_causes = read.numbers(line["idle"]["cause"]);
  std::vector<double> filled(t.rows.size(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    filled[static_cast<std::size_t>(rows[i])] += lengths[i];
    const std::string& reason = line["idle"]["reasons"].items.at(static_cast<std::size_t>(reasons[i])).text;
    CHECK((reason.find("{}") != std::string::npos) == (idle_causes[i] > 0));
  }
  for (const slice& s : t.slices) filled[s.row] += s.kind == report::slice_kind::run ? 0 : static_cast<double>(s.finish - s.start);
  for (std::size_t r = 0; r + 1 < t.rows.size(); ++r) CHECK(filled[r] == static_cast<double>(t.length));
  const std::vector<double> from = read.numbers(line["links"]["from"]), to = read.numbers(line["links"]["to"]);
  REQUIRE(from.size() == to.size());
  CHECK(from.size() == 2 * 6 * (2 * 3 - 1));  // of each micro-batch all operations but its first one
  for (std::size_t i = 0; i < from.size(); ++i) CHECK(t.slices[static_cast<std::size_t>(from[i])].micro_batch == t.slices[static_cast<std::size_t>(to[i])].micro_batch);
  CHECK(read.numbers(line["critical"]).size() == causes.critical.size());
  CHECK(read.header["series"].items.size() == series_of<>(t).size());
  CHECK(read.numbers(read.header["series"].items[0]["v"]).size() == series_of<>(t)[0].points.size());
}

TEST_CASE("the bound names the row that works most, or that even this one idles") {
  report::timeline t{.rows = {{.name = "IPU 0"}, {.name = "IPU 1"}}, .length = 100};
  t.slices = {{.row = 0, .stage = 0, .micro_batch = 0, .run = 0, .start = 0, .finish = 20},
              {.row = 1, .stage = 1, .micro_batch = 0, .run = 0, .start = 20, .finish = 100}};
  CHECK(bound_of_rows<>(t, causes_of<>(t, false)) == "IPU 1 bounds the time: it works for 80.0 % of it, 80.0 % in forward.");
  t.slices[0].start = 10, t.slices[1].start = 50;
  CHECK(bound_of_rows<>(t, causes_of<>(t, false)) ==
        "Waiting bounds the time: even IPU 1, which works most, is idle for 50.0 % of it, 30.0 % in messages on the way.");
  CHECK(bound_of_rows<>(report::timeline{}, run_causes{}).empty());
  const report::page_table table = rows_table<>(t, causes_of<>(t, false));
  CHECK(table.head == std::vector<std::string>{"", "IPU 0", "IPU 1"});
  CHECK(table.rows[0] == std::vector<std::string>{"forward", "10.0", "50.0"});
}

}  // namespace timeline_part_test
