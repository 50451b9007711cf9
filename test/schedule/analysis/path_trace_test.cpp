// SPDX-License-Identifier: BSL-1.0
// A path is traced in the few places that it has, however many rounds were left out.
#include <ipuflow/schedule/analysis/closed_times.hpp>
#include <ipuflow/schedule/analysis/path_trace.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>

#include <doctest/doctest.h>

namespace path_trace_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

TEST_CASE("the bottleneck is a body, and what is around it stands once") {
  costs_of_stages<3> c;
  c.stage.push_back({.forward = 2, .backward_inputs = 2, .backward_weights = 2, .communication = 1});
  c.stage.push_back({.forward = 5, .backward_inputs = 5, .backward_weights = 5, .communication = 1});
  c.stage.push_back({.forward = 3, .backward_inputs = 3, .backward_weights = 3, .communication = 1});
  const auto t = one_f_one_b({.ipus = 3, .micro_batches = 1'000'000});
  max_plus_state<modular<>, costs_of_stages<3>, run_log> state{t, c};
  modular_rounds rounds{t, state};
  REQUIRE(steady_run{state, rounds}.run());
  path_trace trace{state};
  trace.run(0);
  CHECK(trace.ops()[0].finish == state.last(0));
  CHECK(trace.ops().back().start == 0);
  CHECK(trace.ops().size() < 200);
  REQUIRE(trace.bodies().size() == 1);
  CHECK(trace.bodies()[0].every == 15);  // the passes of the second stage
  CHECK(trace.bodies()[0].end - trace.bodies()[0].begin == 2);
  CHECK(trace.bodies()[0].more > 999'900);
  for (std::size_t i = trace.bodies()[0].begin; i < trace.bodies()[0].end; ++i) CHECK(trace.entry(trace.ops()[i].code).event.lane == 1);
}

}  // namespace path_trace_test
