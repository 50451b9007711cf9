// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/session_fault.hpp>

#include <doctest/doctest.h>

namespace session_fault_test {

using namespace ipuflow;
using train::session_wrong;

TEST_CASE("what can be wrong with a session or a step, in words") {
  const auto says = [](session_wrong kind, std::size_t where, std::size_t got, std::size_t limit) {
    return sentence(train::session_fault{kind, got, limit, where});
  };
  CHECK(says(session_wrong::samples, 0, 81, 80).view() ==
        "ipuflow: a step is given 81 samples but takes 80; load samples_per_step() at a time, and drop a last short "
        "batch");
  CHECK(says(session_wrong::part_of_step, 0, 79, 80).view() ==
        "ipuflow: a step is given 79 samples of 80; a part of a step is for inference with all outputs");
  CHECK(says(session_wrong::width, 1, 3, 4).view() ==
        "ipuflow: value 1 of a sample has 3 numbers but the pipeline takes 4; feed it what its input says");
  CHECK(says(session_wrong::stages, 0, 3, 4).view() ==
        "ipuflow: the timetable is for 3 stages but the pipeline has 4; make the timetable for this pipeline");
  CHECK(says(session_wrong::branches, 1, 3, 2).view() ==
        "ipuflow: the timetable has stage 1 on 3 IPUs but it has 2 concurrent branches; give each branch an IPU, or all of "
        "them one");
  CHECK(says(session_wrong::directions, 0, 7, 2).view() ==
        "ipuflow: a timetable in two directions halves its micro-batches, but there are 7; give it an even number");
  CHECK(says(session_wrong::counted_out_of_order, 3, 7, 2).view() ==
        "ipuflow: stage 3 runs forward with micro-batch 7 before micro-batch 2, but on chips its dropout counts them; let its forwards come in order");
  CHECK(says(session_wrong::stopped, 0, 1, 10).view() ==
        "ipuflow: the step was stopped after 1 of 10 device iterations; the model is as it was before the step");
  CHECK(says(session_wrong::loss_factor, 0, 0, 0).view() ==
        "ipuflow: the factor of the loss scale is not a number above 0; give it 1 or more");
  CHECK(says(session_wrong::loss_patience, 0, 0, 1).view() ==
        "ipuflow: an automatic loss scale is to double after 0 updates without overflow; give it a patience of at least 1");
  CHECK(says(session_wrong::input_scaling, 0, 0, 0).view() ==
        "ipuflow: the scaling of the inputs is not of numbers; give it a deviation other than 0");
  CHECK(says(session_wrong::grad_norm, 0, 0, 0).view() ==
        "ipuflow: max_grad_norm is not a number above 0; give the length that gradients may have, or leave it out");
}

}  // namespace session_fault_test
