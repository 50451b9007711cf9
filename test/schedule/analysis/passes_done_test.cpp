// SPDX-License-Identifier: BSL-1.0
// `passes_done` knows what has been done and what an operation still waits for.
#include <ipuflow/schedule/analysis/passes_done.hpp>
#include <ipuflow/schedule/forms/device_map.hpp>
#include <ipuflow/schedule/forms/grid.hpp>

#include <doctest/doctest.h>

namespace passes_done_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

TEST_CASE("forwards wait for the stage before, backwards for the stage after") {
  const grid where{2, 2, 3};
  passes_done<grid> b{where};
  CHECK(b.waits_for({pass::forward, 0, 1}) == nowhere);
  CHECK(b.waits_for({pass::forward, 1, 1}) == 0);
  b.mark({pass::forward, 0, 1}, 0);
  CHECK(b.waits_for({pass::forward, 1, 1}) == nowhere);
  CHECK(b.waits_for({pass::forward, 1, 2}) == 0);
  CHECK(b.waits_for({pass::backward, 1, 1}) == nowhere);
  CHECK(b.waits_for({pass::backward_inputs, 0, 1}) == 1);
  b.mark({pass::backward, 1, 1}, 1);
  CHECK(b.waits_for({pass::backward_inputs, 0, 1}) == nowhere);
  CHECK(b.at(1, 1) == (done_inputs | done_weights | done_whole));
}

TEST_CASE("after concurrent stages one waits for all branches") {
  auto where = devices(0, on_ipus(1, 2), 0);
  where.micro_batches = 1;
  passes_done<decltype(where)> b{where};
  b.mark({pass::forward, 1, 0}, 1);
  CHECK(b.waits_for({pass::forward, 2, 0}) == 2);
  b.mark({pass::forward, 1, 0}, 2);
  CHECK(b.waits_for({pass::forward, 2, 0}) == nowhere);
}

TEST_CASE("a number that is no pass does nothing") {
  for (unsigned number = 0; number < 256; ++number) {
    CHECK((bits_of(static_cast<pass>(number)) != 0) == (number < pass_count));
  }
}

}  // namespace passes_done_test
