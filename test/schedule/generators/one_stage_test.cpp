// SPDX-License-Identifier: BSL-1.0
// The frame of schedules with one stage an IPU.
#include <ipuflow/schedule/generators/one_stage.hpp>

#include <doctest/doctest.h>

namespace one_stage_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

TEST_CASE("one stage an IPU, micro-batches one by one, no pass") {
  const auto t = one_stage_an_ipu({.ipus = 3, .micro_batches = 5});
  CHECK_FALSE(t.refused);
  CHECK(t.where == grid{3, 3, 5});
  CHECK(t.span == 3);
  CHECK(t.count(1) == 0);
  CHECK(one_stage_an_ipu({.ipus = 3, .stages_per_ipu = 2, .micro_batches = 5}).refused.limit == 1);
}

}  // namespace one_stage_test
