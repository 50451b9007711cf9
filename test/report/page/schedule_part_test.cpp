// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/schedule_part.hpp>

#include <ipuflow/report/page/document.hpp>
#include <ipuflow/schedule/analysis/measured_costs.hpp>
#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>

#include <doctest/doctest.h>

#include "report/page_reader.hpp"

#include <sstream>
#include <string>

namespace schedule_part_test {

using namespace ipuflow;

template <class... Things>
page_reader::container page_of(const Things&... things) {
  std::ostringstream out;
  report::page(out, {}, report::part("order", things...));
  return page_reader::data_of(out.str());
}

TEST_CASE("the operations of a timetable, each at its step, and the depths of its FIFOs") {
  const auto t = schedule::tabulate(schedule::one_f_one_b({.ipus = 3, .micro_batches = 5}));
  const page_reader::container read = page_of(t);
  const json::value& plan = read.part(0)["schedule"];
  CHECK(plan["steps"].number == static_cast<double>(t.steps()));
  CHECK(plan["training"].boolean);
  const auto column = [&](const char* name) { return read.numbers(plan["columns"][name]); };
  const auto ipu = column("ipu"), step = column("step"), kind = column("kind"), stage = column("stage"), micro_batch = column("micro_batch");
  std::size_t i = 0;
  for (std::size_t row = 0; row < t.where.ipus; ++row) {
    for (const schedule::placed& o : t.rows[row]) {
      REQUIRE(i < ipu.size());
      CHECK(ipu[i] == static_cast<double>(row));
      CHECK(step[i] == static_cast<double>(o.step));
      CHECK(plan["kinds"].items.at(static_cast<std::size_t>(kind[i])).text == schedule::name_of(o.kind));
      CHECK(stage[i] == static_cast<double>(o.stage + 1));  // 0 is none
      CHECK(micro_batch[i] == static_cast<double>(o.micro_batch + 1));
      ++i;
    }
  }
  CHECK(i == ipu.size());
  const auto depths = schedule::fifo_depths(t);
  for (std::size_t s = 0; s < depths.size(); ++s) CHECK(plan["stash"].items[s]["depth"].number == static_cast<double>(depths[s]));
}

TEST_CASE("the time is the least that the order allows, in the unit of the costs") {
  const auto t = schedule::one_f_one_b({.ipus = 4, .micro_batches = 8});
  const schedule::measured_costs costs = schedule::read_costs("3.1,2.7,1.9,0.2", "ms");
  const schedule::times times = schedule::times_of(t, costs);
  const page_reader::container read = page_of(report::with_costs(t, costs));
  const json::value& part = read.part(0);
  CHECK(part["total"].number == static_cast<double>(times.makespan));
  CHECK(part["ticks_per_second"].number == 10'000);  // tenths of milliseconds
  CHECK(part["facts"].items[0]["value"].number == doctest::Approx(costs.in_units(times.makespan)));
  CHECK(part["facts"].items[1]["value"].number == doctest::Approx(100 * times.bubble()));
  for (const char* unit : {"ms", "s", "minutes", "a < b"}) {  // any word may be one
    const page_reader::container of_unit = page_of(report::with_costs(t, schedule::read_costs("3.1,2.7,1.9,0.2", unit)));
    CHECK(of_unit.part(0)["facts"].items[0]["unit"].text == unit);
  }
  const auto ticks_of = [&](const char* text, const char* unit) { return page_of(report::with_costs(t, schedule::read_costs(text, unit))).part(0)["tick_name"].text; };
  CHECK(ticks_of("1,1,1,0", "") == "units");
  CHECK(ticks_of("1,1,1,0", "minutes") == "minutes");
  CHECK(ticks_of("1.5,1,1,0", "") == "1/10 unit");
  CHECK(ticks_of("1.5,1,1,0", "ms") == "1/10 ms");
  const std::vector<double> path = read.numbers(part["timeline"]["critical"]);
  CHECK(!path.empty());
  CHECK(page_of(t).part(0)["ticks_per_second"].number == 0);
}

TEST_CASE("a timeline ends with the updates that the makespan has") {
  const auto t = schedule::one_f_one_b({.ipus = 3, .micro_batches = 4});
  const schedule::costs costs{.update = 7};
  const page_reader::container read = page_of(report::with_costs(t, costs));
  CHECK(read.part(0)["total"].number == static_cast<double>(schedule::makespan(t, costs)));
  const report::timeline made = report::impl::timeline_of_schedule(t, costs);
  std::size_t updates = 0;
  for (const report::slice& s : made.slices) {
    if (s.kind != report::slice_kind::update) continue;
    ++updates;
    CHECK(s.micro_batch == schedule::nowhere);
  }
  CHECK(updates == 3);
  CHECK(made.runs.size() == 1);
}

TEST_CASE("behind something else a timetable is its plan, and shows no time of its own") {
  const auto t = schedule::one_f_one_b({.ipus = 2, .micro_batches = 3});
  const page_reader::container read = page_of(report::priced_timetable<decltype(t), schedule::costs>{t, {}}, t);
  CHECK(read.part(0)["kind"].text == "schedule");
  report::page_columns columns;
  report::impl::page_part part{"run", columns};
  part.begin("chips", {}, "");
  describe(part, t);
  const json::value json = json::parser{part.json()}.parse();
  CHECK(json.find("timeline") == nullptr);
  CHECK(json["schedule"]["ipus"].number == 2);
}

TEST_CASE("a timetable that is none is refused") {
  auto t = schedule::tabulate(schedule::one_f_one_b({.ipus = 2, .micro_batches = 3}));
  t.refused.kind = schedule::schedule_wrong::wrong_ipu;
  CHECK_THROWS(page_of(t));
}

}  // namespace schedule_part_test
