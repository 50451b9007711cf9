// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/planning/planner_fault.hpp>

#include <doctest/doctest.h>

namespace planner_fault_test {

using namespace ipuflow;
using train::planner_wrong;

TEST_CASE("each fault of a planner has its sentence, and none has none") {
  CHECK(sentence(train::planner_fault{}).view().empty());
  CHECK(sentence(train::planner_fault{.kind = planner_wrong::stages, .got = 3, .limit = 1}).view().find("give 0 cuts") != std::string_view::npos);
  CHECK(sentence(train::planner_fault{planner_wrong::stages, 2, 4, fixed_string<40>{"zbv"}}).view() ==
        "ipuflow: the schedule 'zbv' has 4 stages and the network is cut into 2; give 3 cuts");
  CHECK(sentence(train::planner_fault{planner_wrong::cuts, 9, 6, {}}).view() ==
        "ipuflow: a stage of the plan begins with block 9 of 6; cuts rise from block to block");
}

}  // namespace planner_fault_test
