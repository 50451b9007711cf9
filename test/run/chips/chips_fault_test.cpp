// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/chips_fault.hpp>

#include <doctest/doctest.h>

#include <string>

namespace chips_fault_test {

using namespace ipuflow;
using namespace ipuflow::run;

TEST_CASE("every fault has its sentence") {
  const auto said = [](const chips_fault& f) { return std::string{message(f).data()}; };
  using wrong = chips_wrong;
  CHECK(said({}).empty());
  CHECK(said({wrong::no_run, 0, 1}) ==
        "ipuflow: a timetable is run on chips no times, or with no samples or replicas; give at least 1 of each");
  CHECK(said({wrong::values_differ, 1, 3, {2, 0}}) ==
        "ipuflow: stage 2 takes 1 value on chips, but the stage before hands on 3; lower both from the same "
        "pipeline");
  CHECK(
      said({wrong::elements_differ, 10, 20, {2, 1}}) ==
      "ipuflow: value 1 that stage 2 takes has 10 elements on chips, but the stage before makes 20; lower both for "
      "the same samples, in the same type");
  CHECK(said({wrong::recomputed_apart, 7, 2, {3, 0, schedule::pass::forward}}) ==
        "ipuflow: the forward of micro-batch 7 in stage 3 comes between the recomputation of micro-batch 2 and its backward, but its tiles hold one "
        "micro-batch at a time; let the backward come first");
  CHECK(said({wrong::pass_twice, 7, 0, {3, 0, schedule::pass::backward}}) ==
        "ipuflow: the backward of stage 3 comes twice in step 7, but its tiles hold one micro-batch at a time; put it "
        "into "
        "two steps");
  CHECK(said({wrong::branches_apart, 5, 0, {1}}) ==
        "ipuflow: the branches of stage 1 run micro-batch 5 in different steps; let concurrent stages run together");
  CHECK(said({wrong::io_tiles_all, 1472, 1472}) ==
        "ipuflow: 1472 I/O tiles leave no tile of 1472 to compute on; set fewer aside");
  CHECK(said({wrong::nothing_leaves, 4}) ==
        "ipuflow: phases send their tensors off the chip, but all 4 kinds of them are to be kept on tiles; take "
        "liveness::always_live, or leave one kind as it is scheduled");
}

}  // namespace chips_fault_test
