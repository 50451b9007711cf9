// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/activity.hpp>

#include <doctest/doctest.h>

namespace activity_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("activities differ if anything in them does, however deep") {
  const activity leaf{3, 5_cycles, 7_cycles, 2, {}};
  activity deep{no_label, {}, 100_cycles, 4, {leaf, leaf}};
  activity other = deep;
  CHECK(deep == other);
  other.inside[1].begin = 6_cycles;
  CHECK(deep != other);
  CHECK(activity{}.label == no_label);
}

}  // namespace activity_test
