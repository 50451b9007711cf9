// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/schedules/schedule_svg.hpp>
#include <ipuflow/report/schedules/schedule_trace.hpp>
#include <ipuflow/report/schedules/time_text.hpp>
#include <ipuflow/schedule/analysis/measured_costs.hpp>
#include <ipuflow/schedule/generators/gpipe.hpp>

#include <doctest/doctest.h>

#include <string>

namespace time_text_test {

using namespace ipuflow;
using namespace ipuflow::report::impl;

TEST_CASE("whole numbers stay what they are, measured ones are shown in their unit") {
  const schedule::costs plain{};
  CHECK(time_text(plain, 1234567) == "1234567");
  CHECK(unit_text(plain).empty());
  CHECK(microseconds_text(plain, 7) == "7");
  const auto measured = schedule::read_costs("3.1,2.75,1,0", "ms");
  CHECK(time_text(measured, 310) == "3.1");
  CHECK(time_text(measured, 275) == "2.75");
  CHECK(unit_text(measured) == " ms");
  CHECK(microseconds_text(measured, 275) == "2750");
  CHECK(microseconds_text(schedule::read_costs("2.5,1,1,0", "ns"), 25) == "0.0025");
  CHECK(microseconds_text(schedule::read_costs("2.5,1,1,0", "ticks"), 25) == "2.5");
}

TEST_CASE("pictures and traces have them") {
  const auto t = schedule::gpipe({.ipus = 2, .micro_batches = 1});
  const auto measured = schedule::read_costs("2.5,1,1,0", "ms");
  CHECK(report::schedule_svg(t, measured).find("stage 1, 2.5 to 5 ms") != std::string::npos);
  CHECK(report::schedule_svg(t, measured).find(">0 ms<") != std::string::npos);
  CHECK(report::schedule_trace(t, measured).find("\"ts\":2500,\"dur\":2500") != std::string::npos);
}

}  // namespace time_text_test
