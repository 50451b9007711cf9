// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/threads_part.hpp>

#include <ipuflow/report/page/document.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>

#include <doctest/doctest.h>

#include "report/hand_made.hpp"
#include "report/page_reader.hpp"

#include <sstream>
#include <string>

namespace threads_part_test {

using namespace ipuflow;

page_reader::container page_of(const run::trace& traced) {
  std::ostringstream out;
  report::page(out, {}, report::part("threads", traced, report::page_samples{1000}));
  return page_reader::data_of(out.str());
}

double fact(const json::value& part, const std::string& name) {
  for (const json::value& f : part["facts"].items) {
    if (f["name"].text == name) return f["value"].number;
  }
  throw std::runtime_error{"no fact " + name};
}

TEST_CASE("a run on threads: its sizes, its time by what the busiest IPU does, and the samples of a second") {
  const page_reader::container read = page_of(hand_made::on_host(schedule::one_f_one_b({.ipus = 4, .micro_batches = 8}), 3));
  const json::value& part = read.part(0);
  CHECK(part["kind"].text == "threads");
  CHECK(part["tick_name"].text == "ns");
  CHECK(fact(part, "IPUs") == 4);
  CHECK(fact(part, "threads") == 2);
  CHECK(fact(part, "runs of the timetable") == 3);
  CHECK(fact(part, "micro-batches of a run") == 8);
  CHECK(fact(part, "operations") == 3 * 4 * 8 * 2);
  double sum = 0;
  for (const json::value& b : part["breakdown"].items) sum += b["value"].number;
  CHECK(sum == part["total"].number);
  CHECK(part["total"].number == part["timeline"]["length"].number);
  CHECK(fact(part, "time") == doctest::Approx(part["total"].number * 1e-9));
  CHECK(fact(part, "throughput") == doctest::Approx(1000 / fact(part, "time")));
}

TEST_CASE("a trace without an operation is a page, and what found no room is said") {
  const page_reader::container empty = page_of(run::trace{10});
  CHECK(empty.part(0).find("timeline") == nullptr);
  CHECK(empty.part(0)["total"].number == 0);
  const page_reader::container cut = page_of(hand_made::on_host(schedule::one_f_one_b({.ipus = 2, .micro_batches = 8}), 1, 20));
  CHECK(fact(cut.part(0), "operations that found no room in the trace") == 2 * 8 * 2 - 20);
  CHECK(!cut.part(0)["timeline"]["complete"].boolean);
  double sum = 0;
  for (const json::value& b : cut.part(0)["breakdown"].items) sum += b["value"].number;
  CHECK(sum == cut.part(0)["total"].number);
}

}  // namespace threads_part_test
