// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/analysis/until.hpp>

#include <doctest/doctest.h>

namespace until_test {

using namespace ipuflow::schedule;

TEST_CASE("which pass ends a life") {
  CHECK(ends(until::last_use, pass::backward));
  CHECK(ends(until::last_use, pass::backward_weights));
  CHECK_FALSE(ends(until::last_use, pass::backward_inputs));
  CHECK(ends(until::backward_inputs, pass::backward_inputs));
  CHECK(ends(until::recompute, pass::recompute));
  CHECK_FALSE(ends(until::recompute, pass::backward));
}

}  // namespace until_test
