// SPDX-License-Identifier: BSL-1.0
// Faults of schedules, and the sentence for each: one list for verification, construction and tables.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::schedule {

/// A place in a schedule: the IPU, the position in its order (or the step, or the line of a file), and the operation.
/// Members that do not apply are `nowhere`.
struct place {
  std::size_t ipu = nowhere;
  std::size_t index = nowhere;
  std::size_t stage = nowhere;
  std::size_t micro_batch = nowhere;
  pass kind = pass::forward;

  friend constexpr bool operator==(const place&, const place&) = default;
};

enum class schedule_wrong : unsigned char {
  nothing,
  // of its size
  not_asked,
  no_stages,
  too_many_stages,
  stage_named,
  no_micro_batches,
  too_many_micro_batches,
  too_few_micro_batches,
  not_a_multiple,
  odd_ipus,
  stages_per_ipu,
  training_only,
  inference_only,
  too_large_for_a_constant,
  too_large_for_a_table,
  other_rows,
  // of its map
  one_stage_only,
  repeated_ipu,
  unmapped_stage,
  branch_twice,
  phase_on_wrong_ipu,
  placed_otherwise,
  strategy_is_serial,
  no_recomputation_within,
  no_recomputation_before,
  // of its operations
  stage_out_of_range,
  micro_batch_out_of_range,
  wrong_ipu,
  repeated_op,
  missing_op,
  backward_in_inference,
  mixed_backwards,
  two_at_once,
  no_pair,
  // of its order
  backward_first,
  weights_first,
  recomputed_first,
  recomputed_partly,
  update_first,
  not_ready,
  falling_step,
  deadlock,
  channel_order,
  channel_deadlock,
  fifo_too_shallow,
  no_fifo,
  no_costs
};

using schedule_fault = fault<schedule_wrong, place>;

namespace impl {

/// "forward of micro-batch 3 in stage 1 on IPU 1, position 5", without what is not known.
constexpr fixed_string<160> described(const place& at) {
  fixed_string<160> text;
  const auto add = [&](std::string_view before, std::size_t number) {
    if (number == nowhere) return;
    text += before;
    text += number;
  };
  text += name_of(at.kind);
  add(" of micro-batch ", at.micro_batch);
  add(" in stage ", at.stage);
  add(" on IPU ", at.ipu);
  add(", position ", at.index);
  return text;
}

}  // namespace impl

constexpr const char* wording(schedule_wrong wrong) {
  switch (wrong) {
    case schedule_wrong::nothing:
      break;

    case schedule_wrong::not_asked:
      return "ipuflow: a schedule is made neither of a pipeline and micro-batches nor of sizes; ask for (network, micro_batches<16>), or {.ipus = 4, .micro_batches = 16}";
    case schedule_wrong::no_stages:
      return "ipuflow: a schedule is asked for without stages; give at least one IPU and one stage on it";
    case schedule_wrong::too_many_stages:
      return "ipuflow: a schedule has {got} stage{s}; give at most {limit}";
    case schedule_wrong::stage_named:
      return "ipuflow: stage {got} is named of {limit} stage{s}; name stages from 0 on, or all_stages";
    case schedule_wrong::no_micro_batches:
      return "ipuflow: a schedule is asked for without micro-batches; give at least {limit}";
    case schedule_wrong::too_many_micro_batches:
      return "ipuflow: a schedule is asked for with {got} micro-batch{es}; give at most {limit}";
    case schedule_wrong::too_few_micro_batches:
      return "ipuflow: {got} micro-batch{es} {is|are} too few for this schedule; the next number it allows is {limit}";
    case schedule_wrong::not_a_multiple:
      return "ipuflow: {got} micro-batch{es} {does|do} not fill the rounds of this schedule; the next number it allows is {limit}";
    case schedule_wrong::odd_ipus:
      return "ipuflow: a schedule that runs both ways is asked for on {got} IPU{s}; give an even number of IPUs, such as {limit}";
    case schedule_wrong::stages_per_ipu:
      return "ipuflow: {got} stage{s} per IPU {does|do} not fit this schedule; it has {limit} on each";
    case schedule_wrong::training_only:
      return "ipuflow: this schedule has no inference form; use inference, grouped, interleaved or sequential";
    case schedule_wrong::inference_only:
      return "ipuflow: this schedule has no backward passes; ask for the mode inference, or for a schedule that trains";
    case schedule_wrong::too_large_for_a_constant:
      return "ipuflow: this schedule has {got} operation{s}, more than the {limit} that compilers work out in a constant expression; make it and "
             "verify it at run time";
    case schedule_wrong::too_large_for_a_table:
      return "ipuflow: this schedule is a table, and would have {got} operation{s} where one has at most {limit}; give fewer micro-batches, or ask "
             "for it by its name";
    case schedule_wrong::other_rows:
      return "ipuflow: a table has {got} row{s} for {limit} IPU{s}; give each IPU a row, which may be empty";

    case schedule_wrong::one_stage_only:
      return "ipuflow: a pipeline of {got} stage has nothing to overlap; give at least {limit} stage{s}";
    case schedule_wrong::repeated_ipu:
      return "ipuflow: stages {got} and {stage} are both on IPU {ipu}, which interleaved training cannot alternate; place them apart or use grouped";
    case schedule_wrong::unmapped_stage:
      return "ipuflow: stage {stage} is on no IPU; give each stage an IPU";
    case schedule_wrong::branch_twice:
      return "ipuflow: two branches of stage {stage} are both on IPU {ipu}; give concurrent branches IPUs of their own";
    case schedule_wrong::phase_on_wrong_ipu:
      return "ipuflow: phase {stage} is on IPU {ipu}; with parallel phases even phases run on even IPUs and odd ones on odd IPUs";
    case schedule_wrong::placed_otherwise:
      return "ipuflow: this schedule has stage {stage} on IPU {limit}, the pipeline on IPU {got}; place it there, or take a schedule for any "
             "placement: grouped, sequential, gpipe, 1f1b, inference";
    case schedule_wrong::no_recomputation_within:
      return "ipuflow: this schedule does not recompute within the backward, where checkpoints are heeded; ask for automatic or then_backpropagate, "
             "or use grouped or sequential";
    case schedule_wrong::no_recomputation_before:
      return "ipuflow: this schedule has no step to recompute in before a backward; ask for automatic or and_backpropagate, or use grouped or "
             "interleaved";
    case schedule_wrong::strategy_is_serial:
      return "ipuflow: this liveness of phases needs serial phases; ask for serial ones, or for always_live or off_chip_after_forward";

    case schedule_wrong::stage_out_of_range:
      return "ipuflow: no such stage: {where}; the stages end at {limit}";
    case schedule_wrong::micro_batch_out_of_range:
      return "ipuflow: no such micro-batch: {where}; the micro-batches end at {limit}";
    case schedule_wrong::wrong_ipu:
      return "ipuflow: not the stage's IPU: {where}; that stage is on IPU {limit}";
    case schedule_wrong::repeated_op:
      return "ipuflow: done twice: {where}; remove one of the two";
    case schedule_wrong::missing_op:
      return "ipuflow: never done: {where}; add it to the order of that IPU";
    case schedule_wrong::backward_in_inference:
      return "ipuflow: not part of inference: {where}; remove it or ask for training";
    case schedule_wrong::mixed_backwards:
      return "ipuflow: a whole backward beside a split one: {where}; give a micro-batch either backward or both backward for inputs and for weights";
    case schedule_wrong::two_at_once:
      return "ipuflow: two operations of an IPU in one step: {where}; this schedule runs one at a time";
    case schedule_wrong::no_pair:
      return "ipuflow: no pair: {where}; two that run together are neighbours in one step, of which neither needs the other";

    case schedule_wrong::backward_first:
      return "ipuflow: before its own forward: {where}; move it behind that forward";
    case schedule_wrong::weights_first:
      return "ipuflow: before the backward for inputs: {where}; move it behind that backward";
    case schedule_wrong::recomputed_first:
      return "ipuflow: out of its place: {where}; bring in before the forward, and recompute between the forward and its backward";
    case schedule_wrong::recomputed_partly:
      return "ipuflow: never done: {where}; a stage recomputes all its micro-batches or none: add it, or leave out the others";
    case schedule_wrong::update_first:
      return "ipuflow: before the last backward of its stage: {where}; move it to the end";
    case schedule_wrong::not_ready:
      return "ipuflow: at step {got} too early: {where}; what it reads is not there before step {limit}";
    case schedule_wrong::falling_step:
      return "ipuflow: at step {got} behind step {limit} of the same IPU: {where}; order each row by its steps";
    case schedule_wrong::deadlock:
      return "ipuflow: waits for ever: {where}; IPU {got} has not reached what it reads and waits itself";
    case schedule_wrong::channel_order:
      return "ipuflow: reads its channel out of order: {where}; IPU {got} sends micro-batch {limit} first";
    case schedule_wrong::channel_deadlock:
      return "ipuflow: waits for ever: {where} with channels of {limit} value{s}; give deeper channels or reorder the sends";
    case schedule_wrong::fifo_too_shallow:
      return "ipuflow: stage {stage} keeps {got} value{s} in a FIFO of {limit}; declare it deeper or choose a schedule that keeps fewer";
    case schedule_wrong::no_fifo:
      return "ipuflow: no FIFO ends here: {where}; name first the pass that writes it, then one that reads it later, both of which the schedule has";
    case schedule_wrong::no_costs:
      return "ipuflow: costs are given for {got} stage{s}, but stage {stage} of the timetable has none; give a record for each of its stages, in their order";
  }
  return "";
}

constexpr message_text sentence(const schedule_fault& f) {
  const auto where = impl::described(f.where);
  if (f.kind == schedule_wrong::placed_otherwise && f.limit == nowhere) {
    return filled("ipuflow: this schedule has no stage {stage} on these IPUs, one each or as many on each; place the stages so, or take a schedule for any "
                  "placement: grouped, sequential, gpipe, 1f1b, inference",
                  {{"stage", f.where.stage}});
  }
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", where}, {"stage", f.where.stage}, {"ipu", f.where.ipu}});
}

}  // namespace ipuflow::schedule

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<schedule::schedule_fault>;
}
#endif
