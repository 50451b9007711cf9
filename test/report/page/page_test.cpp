// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/page.hpp>

#include <doctest/doctest.h>

#include "report/hand_made.hpp"
#include "report/page_reader.hpp"
#include "report/plans/planned.hpp"

#include <sstream>
#include <string>

namespace page_test {

using namespace ipuflow;

TEST_CASE("one page has a run on threads, one on chips, a plan and a timetable, each with what its kind has") {
  const auto timetable = schedule::grouped({.ipus = 2, .micro_batches = 8});
  std::ostringstream out;
  report::page(out, {.title = "All", .command = "run me"}, report::part("threads", hand_made::on_host(timetable)),
               report::part("chips", hand_made::on_chips(timetable), timetable, report::page_samples{16}),
               report::part("plan", report::page_plan{planned::prediction(), planned::choice()}), report::part("order", timetable));
  const page_reader::container read = page_reader::data_of(out.str());
  CHECK(read.header["title"].text == "All");
  CHECK(read.header["command"].text == "run me");
  REQUIRE(read.header["parts"].items.size() == 4);
  const char* const kinds[] = {"threads", "chips", "plan", "schedule"};
  for (std::size_t p = 0; p < 4; ++p) {
    CHECK(read.part(p)["kind"].text == kinds[p]);
    double sum = 0;
    for (const json::value& b : read.part(p)["breakdown"].items) sum += b["value"].number;
    CHECK(sum == read.part(p)["total"].number);
    CHECK(!read.part(p)["bound"].text.empty());
    CHECK((read.part(p).find("timeline") != nullptr) == (p != 2));
    CHECK((read.part(p).find("schedule") != nullptr) == (p == 1 || p == 3));
  }
}

}  // namespace page_test
