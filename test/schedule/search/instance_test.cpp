// SPDX-License-Identifier: BSL-1.0
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

namespace instance_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;
using namespace ipuflow::test;

constexpr grid vee{.ipus = 2, .stages = 4, .micro_batches = 3, .kind = layout::vee};

TEST_CASE("each lane is behind those that it waits for, and twice mirrored an instance is what it was") {
  const auto of = instance_of(vee, costs{2, 3, 4, 1}, {{3, -1, -2}, 9}, true);
  const auto twice = mirrored(mirrored(of));
  for (const auto& made : {of, mirrored(of)}) {
    for (std::size_t l = 0; l < made.lanes.size(); ++l) {
      for (const std::size_t b : made.lanes[l].before) CHECK((b == nowhere || b < l));
    }
  }
  for (std::size_t l = 0; l < of.lanes.size(); ++l) {
    CHECK(twice.lanes[l].time == of.lanes[l].time);
    CHECK(twice.lanes[l].memory == of.lanes[l].memory);
    CHECK(twice.lanes[l].before[0] == of.lanes[l].before[0]);
    CHECK(twice.lanes[l].lag[0] == of.lanes[l].lag[0]);
  }
  CHECK(of.largest() == 3);
  CHECK(of.most_room() == 9);
  CHECK(of.chunked());
}

TEST_CASE("what a mirrored micro-batch needs, it frees in the other direction") {
  const auto back = mirrored(instance_of(vee, costs{2, 3, 4, 1}, {{3, -1, -2}, 9}, true));
  CHECK(back.adds[0][0] == 3);  // its gradient for weights 2, its backward 1
  for (const auto& lane : back.lanes) {
    if (lane.kind == pass::backward_weights) CHECK(lane.later == 1);
  }
}

}  // namespace instance_test
