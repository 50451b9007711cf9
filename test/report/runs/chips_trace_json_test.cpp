// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/runs/chips_trace_json.hpp>

#include "json.hpp"

#include <doctest/doctest.h>

#include <sstream>

namespace chips_trace_json_test {

using namespace ipuflow;

// What is in it: trace_json_test.cpp.
TEST_CASE("a run on chips goes to any stream, under its own name or another one") {
  const run::chips_profile nothing;
  std::ostringstream out, named;
  report::trace_json(out, nothing);
  report::trace_json(named, nothing, {.name = "mine"});
  CHECK(json::parsed(out.str())["traceEvents"].items[0]["args"]["name"].text == "IPU model");
  CHECK(json::parsed(named.str())["traceEvents"].items[0]["args"]["name"].text == "mine");
}

}  // namespace chips_trace_json_test
