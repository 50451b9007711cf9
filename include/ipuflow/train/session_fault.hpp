// SPDX-License-Identifier: BSL-1.0
// Faults of sessions: options that are none to train with, steps of another size or another network's.
// Options that types decide, and back ends that lack something, have faults of their own.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <cstddef>

namespace ipuflow::train {

enum class session_wrong : unsigned char {
  nothing,
  samples,
  part_of_step,
  width,
  stages,
  branches,
  directions,
  stopped,
  loss_factor,
  input_scaling,
  grad_norm,
  one_replica,
  nothing_sharded,
  number_cut,
  more_processes
};
using session_fault = fault<session_wrong, std::size_t>;

/// `where` is the position of a value among those that enter the pipeline, or a stage.
constexpr message_text sentence(const session_fault& f) {
  switch (f.kind) {
    case session_wrong::nothing:
      break;
    case session_wrong::samples:
      return words("ipuflow: a step is given ", f.got, " samples but takes ", f.limit,
                   "; load samples_per_step() at a time, and drop a last short batch");
    case session_wrong::part_of_step:
      return words("ipuflow: a step is given ", f.got, " samples of ", f.limit,
                   "; a part of a step is for inference with all outputs");
    case session_wrong::width:
      return words("ipuflow: value ", f.where, " of a sample has ", f.got, " numbers but the pipeline takes ", f.limit,
                   "; feed it what its input says");
    case session_wrong::stages:
      return words("ipuflow: the timetable is for ", f.got, " stages but the pipeline has ", f.limit,
                   "; make the timetable for this pipeline");
    case session_wrong::branches:
      return words("ipuflow: the timetable has stage ", f.where, " on ", f.got, " IPUs but it has ", f.limit,
                   " concurrent branches; give each branch an IPU, or all of them one");
    case session_wrong::directions:
      return words("ipuflow: a timetable in two directions halves its micro-batches, but there are ", f.got,
                   "; give it an even number");
    case session_wrong::stopped:
      return words("ipuflow: the step was stopped after ", f.got, " of ", f.limit,
                   " device iterations; the model is as it was before the step");
    case session_wrong::loss_factor:
      return words("ipuflow: the factor of the loss scale is not a number above 0; give it 1 or more");
    case session_wrong::input_scaling:
      return words("ipuflow: the scaling of the inputs is not of numbers; give it a deviation other than 0");
    case session_wrong::grad_norm:
      return words("ipuflow: max_grad_norm is not a number above 0; give the length that gradients may have, or leave it out");
    case session_wrong::one_replica:
      return words("ipuflow: shard_optimiser, shard_gradients and shard_weights deal numbers out to replicas, but there is one; "
                   "set replicas, or leave them out");
    case session_wrong::nothing_sharded:
      return words("ipuflow: shard_at_least is ", f.got, " but nothing is sharded; "
                   "set shard_optimiser, shard_gradients or shard_weights, or leave it out");
    case session_wrong::number_cut:
      return words("ipuflow: sample ", f.got, " of a micro-batch has a whole number that does not fit into the ", f.limit,
                   " bits that the pipeline has for it; declare a wider type there, or look at the data");
    case session_wrong::more_processes:
      return words("ipuflow: ", f.got, " processes share a session that has ", f.limit,
                   " IPUs in all its replicas; start at most as many, or set more replicas");
  }
  return {};
}

}  // namespace ipuflow::train

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<train::session_fault>;
}
#endif
