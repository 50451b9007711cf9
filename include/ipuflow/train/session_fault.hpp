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
  counted_out_of_order,
  stopped,
  loss_factor,
  loss_patience,
  input_scaling,
  grad_norm,
  one_replica,
  nothing_sharded,
  number_cut,
  number_not_whole,
  more_processes,
  weights_differ,
  samples_differ,
  no_loss,
  only_counted
};
using session_fault = fault<session_wrong, std::size_t>;

constexpr const char* wording(session_wrong wrong) {
  switch (wrong) {
    case session_wrong::nothing:
      break;
    case session_wrong::samples:
      return "ipuflow: a step is given {got} sample{s} but takes {limit}; load samples_per_step() at a time, and drop a last short batch";
    case session_wrong::part_of_step:
      return "ipuflow: a step is given {got} sample{s} of {limit}; a part of a step is for inference with all outputs";
    case session_wrong::width:
      return "ipuflow: value {where} of a sample has {got} number{s} but the pipeline takes {limit}; feed it what its input says";
    case session_wrong::stages:
      return "ipuflow: the timetable is for {got} stage{s} but the pipeline has {limit}; make the timetable for this pipeline";
    case session_wrong::branches:
      return "ipuflow: the timetable has stage {where} on {got} IPU{s} but it has {limit} concurrent branch{es}; give each branch an IPU, or all of "
             "them one";
    case session_wrong::directions:
      return "ipuflow: a timetable in two directions halves its micro-batches, but there are {got}; give it an even number";
    case session_wrong::counted_out_of_order:
      return "ipuflow: stage {where} runs forward with micro-batch {got} before micro-batch {limit}, but on chips its dropout counts them; let its "
             "forwards come in order";
    case session_wrong::stopped:
      return "ipuflow: the step was stopped after {got} of {limit} device iteration{s}; the model is as it was before the step";
    case session_wrong::loss_factor:
      return "ipuflow: the factor of the loss scale is not a number above 0; give it 1 or more";
    case session_wrong::loss_patience:
      return "ipuflow: an automatic loss scale is to double after {got} update{s} without overflow; give it a patience of at least {limit}";
    case session_wrong::input_scaling:
      return "ipuflow: the scaling of the inputs is not of numbers; give it a deviation other than 0";
    case session_wrong::grad_norm:
      return "ipuflow: max_grad_norm is not a number above 0; give the length that gradients may have, or leave it out";
    case session_wrong::one_replica:
      return "ipuflow: shard_optimiser, shard_gradients and shard_weights deal numbers out to replicas, but there is one; set replicas, or leave "
             "them out";
    case session_wrong::nothing_sharded:
      return "ipuflow: shard_at_least is {got} but nothing is sharded; set shard_optimiser, shard_gradients or shard_weights, or leave it out";
    case session_wrong::number_cut:
      return "ipuflow: sample {got} of a micro-batch has a whole number that does not fit into the {limit} bits that the pipeline has for it; "
             "declare a wider type there, or look at the data";
    case session_wrong::number_not_whole:
      return "ipuflow: sample {got} of a micro-batch has a number with a fraction, or no number, where the pipeline takes whole numbers of {limit} "
             "bits; declare float there, or feed whole ones";
    case session_wrong::more_processes:
      return "ipuflow: {got} process{es} {shares|share} a session that has {limit} IPU{s} in all its replicas; start at most as many, or set more replicas";
    case session_wrong::weights_differ:
      return "ipuflow: process {got} has other weights than process 0 after update {limit}; begin with the same weights in all processes, and give "
             "them one optimiser, with the same rate and all other figures";
    case session_wrong::samples_differ:
      return "ipuflow: process {got} was given other samples than process 0 in step {limit}; give all processes the same, as loaders with one seed do, "
             "or say compares_samples = false if each fills in those of its own IPUs alone";
    case session_wrong::no_loss:
      return "ipuflow: a network without a loss is to be trained, which would change nothing; let its last layer be one, as "
             "use<\"class\">(nn::cross_entropy), or use the model, with train::inference";
    case session_wrong::only_counted:
      return "ipuflow: chips with synthetic data take no step, as nothing comes there and no result back; ask for cost(), or leave synthetic out";
  }
  return "";
}

/// `where` is the position of a value among those that enter the pipeline, or a stage.
constexpr message_text sentence(const session_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}});
}

}  // namespace ipuflow::train

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<train::session_fault>;
}
#endif
