// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/search/problem.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

namespace problem_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

constexpr grid vee{.ipus = 2, .stages = 4, .micro_batches = 2, .kind = layout::vee};

TEST_CASE("lanes are in the order of a micro-batch; messages take time between IPUs alone") {
  const auto of = instance_of(vee, costs{2, 3, 4, 7}, {{3, -1, -2}, 6}, true);
  REQUIRE(of.lanes.size() == 12);
  CHECK(of.lanes[1].lag[0] == 7);
  CHECK(of.lanes[2].lag[0] == 0);  // stages 1 and 2 are on one IPU
  CHECK(of.lanes[4].kind == pass::backward_inputs);
  CHECK(of.lanes[4].before[0] == 3);  // the last stage goes back at once
  CHECK(of.lanes[2].chunk == 1);
  CHECK(of.lanes[11].stage == 0);
  const auto joint = instance_of(vee, costs{2, 3, 4, 7}, {{3, -1, -2}, 6}, false);
  CHECK(joint.lanes.size() == 8);
  CHECK(joint.lanes[4].time == 7);
  CHECK(joint.lanes[4].memory == -3);
}

TEST_CASE("an IPU has to hold one micro-batch of all its chunks") {
  CHECK_FALSE(verify_room(instance_of(vee, costs{}, {{3, -1, -2}, 6}, true)));
  CHECK(verify_room(instance_of(vee, costs{}, {{3, -1, -2}, 5}, true)) == search_fault{search_wrong::no_room, 6, 5, 0});
}

}  // namespace problem_test
