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
  // of its order
  backward_first,
  weights_first,
  recomputed_first,
  update_first,
  not_ready,
  deadlock,
  channel_order,
  channel_deadlock,
  fifo_too_shallow
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

constexpr message_text sentence(const schedule_fault& f) {
  const auto where = impl::described(f.where);
  switch (f.kind) {
    case schedule_wrong::nothing:
      break;

    case schedule_wrong::no_stages:
      return words("ipuflow: a schedule is asked for without stages; give at least one IPU and one stage on it");
    case schedule_wrong::too_many_stages:
      return words("ipuflow: a schedule has ", f.got, " stages; give at most ", f.limit);
    case schedule_wrong::stage_named:
      return words("ipuflow: stage ", f.got, " is named, but there are ", f.limit, " stages; name stages from 0 on, or all_stages");
    case schedule_wrong::no_micro_batches:
      return words("ipuflow: a schedule is asked for without micro-batches; give at least ", f.limit);
    case schedule_wrong::too_many_micro_batches:
      return words("ipuflow: a schedule is asked for with ", f.got, " micro-batches; give at most ", f.limit);
    case schedule_wrong::too_few_micro_batches:
      return words("ipuflow: ", f.got, " micro-batches are too few for this schedule; the next number it allows is ",
                   f.limit);
    case schedule_wrong::not_a_multiple:
      return words("ipuflow: ", f.got,
                   " micro-batches do not fill the rounds of this schedule; the next number it allows is ", f.limit);
    case schedule_wrong::odd_ipus:
      return words("ipuflow: a schedule that runs both ways is asked for on ", f.got,
                   " IPUs; give an even number of IPUs, such as ", f.limit);
    case schedule_wrong::stages_per_ipu:
      return words("ipuflow: ", f.got, " stages per IPU do not fit this schedule; it has ", f.limit, " on each");
    case schedule_wrong::training_only:
      return words("ipuflow: this schedule has no inference form; use inference, grouped, interleaved or sequential");
    case schedule_wrong::inference_only:
      return words("ipuflow: this schedule has no backward passes; ask for the mode inference, or for a schedule that trains");
    case schedule_wrong::too_large_for_a_constant:
      return words("ipuflow: this schedule has ", f.got, " operations, more than the ", f.limit,
                   " that compilers work out in a constant expression; make it and verify it at run time");
    case schedule_wrong::too_large_for_a_table:
      return words("ipuflow: this schedule is a table, and would have ", f.got, " operations where one has at most ", f.limit,
                   "; give fewer micro-batches, or ask for it by its name");

    case schedule_wrong::one_stage_only:
      return words("ipuflow: a pipeline of ", f.got, " stage has nothing to overlap; give at least ", f.limit,
                   " stages");
    case schedule_wrong::repeated_ipu:
      return words("ipuflow: stages ", f.got, " and ", f.where.stage, " are both on IPU ", f.where.ipu,
                   ", which interleaved training cannot alternate; place them apart or use grouped");
    case schedule_wrong::unmapped_stage:
      return words("ipuflow: stage ", f.where.stage, " is on no IPU; give each stage an IPU");
    case schedule_wrong::branch_twice:
      return words("ipuflow: two branches of stage ", f.where.stage, " are both on IPU ", f.where.ipu,
                   "; give concurrent branches IPUs of their own");
    case schedule_wrong::phase_on_wrong_ipu:
      return words("ipuflow: phase ", f.where.stage, " is on IPU ", f.where.ipu,
                   "; with parallel phases even phases run on even IPUs and odd ones on odd IPUs");
    case schedule_wrong::placed_otherwise:
      if (f.limit == nowhere) {
        return words("ipuflow: this schedule has no stage ", f.where.stage, " on these IPUs, one each or as many on each; ",
                     "place the stages so, or take a schedule for any placement: grouped, sequential, gpipe, 1f1b, inference");
      }
      return words("ipuflow: this schedule has stage ", f.where.stage, " on IPU ", f.limit, ", the pipeline on IPU ", f.got,
                   "; place it there, or take a schedule for any placement: grouped, sequential, gpipe, 1f1b, inference");
    case schedule_wrong::no_recomputation_within:
      return words(
          "ipuflow: this schedule does not recompute within the backward, where checkpoints are heeded; ask for "
          "automatic or then_backpropagate, or use grouped or sequential");
    case schedule_wrong::no_recomputation_before:
      return words(
          "ipuflow: this schedule has no step to recompute in before a backward; ask for automatic or "
          "and_backpropagate, or use grouped or interleaved");
    case schedule_wrong::strategy_is_serial:
      return words("ipuflow: this liveness of phases needs serial phases; ask for serial ones, or for always_live or off_chip_after_forward");

    case schedule_wrong::stage_out_of_range:
      return words("ipuflow: no such stage: ", where, "; the stages end at ", f.limit);
    case schedule_wrong::micro_batch_out_of_range:
      return words("ipuflow: no such micro-batch: ", where, "; the micro-batches end at ", f.limit);
    case schedule_wrong::wrong_ipu:
      return words("ipuflow: not the stage's IPU: ", where, "; that stage is on IPU ", f.limit);
    case schedule_wrong::repeated_op:
      return words("ipuflow: done twice: ", where, "; remove one of the two");
    case schedule_wrong::missing_op:
      return words("ipuflow: never done: ", where, "; add it to the order of that IPU");
    case schedule_wrong::backward_in_inference:
      return words("ipuflow: not part of inference: ", where, "; remove it or ask for training");
    case schedule_wrong::mixed_backwards:
      return words("ipuflow: a whole backward beside a split one: ", where,
                   "; give a micro-batch either backward or both backward for inputs and for weights");
    case schedule_wrong::two_at_once:
      return words("ipuflow: two operations of an IPU in one step: ", where, "; this schedule runs one at a time");

    case schedule_wrong::backward_first:
      return words("ipuflow: before its own forward: ", where, "; move it behind that forward");
    case schedule_wrong::weights_first:
      return words("ipuflow: before the backward for inputs: ", where, "; move it behind that backward");
    case schedule_wrong::recomputed_first:
      return words("ipuflow: out of its place: ", where, "; recompute between the forward and its backward");
    case schedule_wrong::update_first:
      return words("ipuflow: before the last backward of its stage: ", where, "; move it to the end");
    case schedule_wrong::not_ready:
      return words("ipuflow: at step ", f.got, " too early: ", where, "; what it reads is not there before step ",
                   f.limit);
    case schedule_wrong::deadlock:
      return words("ipuflow: waits for ever: ", where, "; IPU ", f.got,
                   " has not reached what it reads and waits itself");
    case schedule_wrong::channel_order:
      return words("ipuflow: reads its channel out of order: ", where, "; IPU ", f.got, " sends micro-batch ", f.limit,
                   " first");
    case schedule_wrong::channel_deadlock:
      return words("ipuflow: waits for ever: ", where, " with channels of ", f.limit,
                   " values; give deeper channels or reorder the sends");
    case schedule_wrong::fifo_too_shallow:
      return words("ipuflow: stage ", f.where.stage, " keeps ", f.got, " values in a FIFO of ", f.limit,
                   "; declare it deeper or choose a schedule that keeps fewer");
  }
  return {};
}

}  // namespace ipuflow::schedule

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<schedule::schedule_fault>;
}
#endif
