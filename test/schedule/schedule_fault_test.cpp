// SPDX-License-Identifier: BSL-1.0
// Every fault has one sentence of its own, with its place and its numbers.
#include <ipuflow/schedule/schedule_fault.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace schedule_fault_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using enum schedule_wrong;

namespace {

std::string said(schedule_wrong kind, std::size_t got = 7, std::size_t limit = 9) {
  return std::string{sentence({kind, got, limit, {1, 2, 3, 4, pass::backward}}).view()};
}

}  // namespace

TEST_CASE("sentences of sizes") {
  CHECK(said(no_stages) ==
        "ipuflow: a schedule is asked for without stages; give at least one IPU and one stage on it");
  CHECK(said(too_many_stages) == "ipuflow: a schedule has 7 stages; give at most 9");
  CHECK(said(other_rows) == "ipuflow: a table has 7 rows for 9 IPUs; give each IPU a row, which may be empty");
  CHECK(said(no_micro_batches) == "ipuflow: a schedule is asked for without micro-batches; give at least 9");
  CHECK(said(too_many_micro_batches) == "ipuflow: a schedule is asked for with 7 micro-batches; give at most 9");
  CHECK(said(too_few_micro_batches) ==
        "ipuflow: 7 micro-batches are too few for this schedule; the next number it allows is 9");
  CHECK(said(not_a_multiple) ==
        "ipuflow: 7 micro-batches do not fill the rounds of this schedule; the next number it allows is 9");
  CHECK(said(odd_ipus) ==
        "ipuflow: a schedule that runs both ways is asked for on 7 IPUs; give an even number of IPUs, such as 9");
  CHECK(said(stages_per_ipu) == "ipuflow: 7 stages per IPU do not fit this schedule; it has 9 on each");
  CHECK(said(training_only) ==
        "ipuflow: this schedule has no inference form; use inference, grouped, interleaved or sequential");
  CHECK(said(inference_only) ==
        "ipuflow: this schedule has no backward passes; ask for the mode inference, or for a schedule that trains");
}

TEST_CASE("sentences of maps") {
  CHECK(said(one_stage_only, 1, 2) == "ipuflow: a pipeline of 1 stage has nothing to overlap; give at least 2 stages");
  CHECK(
      said(repeated_ipu) ==
      "ipuflow: stages 7 and 3 are both on IPU 1, which interleaved training cannot alternate; place them apart or use "
      "grouped");
  CHECK(said(unmapped_stage) == "ipuflow: stage 3 is on no IPU; give each stage an IPU");
  CHECK(said(branch_twice) ==
        "ipuflow: two branches of stage 3 are both on IPU 1; give concurrent branches IPUs of their own");
  CHECK(said(phase_on_wrong_ipu) ==
        "ipuflow: phase 3 is on IPU 1; with parallel phases even phases run on even IPUs and odd ones on odd IPUs");
  CHECK(said(strategy_is_serial) ==
        "ipuflow: this liveness of phases needs serial phases; ask for serial ones, or for always_live or "
        "off_chip_after_forward");
  CHECK(said(no_recomputation_within) ==
        "ipuflow: this schedule does not recompute within the backward, where checkpoints are heeded; ask for "
        "automatic or then_backpropagate, or use grouped or sequential");
  CHECK(said(no_recomputation_before) ==
        "ipuflow: this schedule has no step to recompute in before a backward; ask for automatic or "
        "and_backpropagate, or use grouped or interleaved");
}

TEST_CASE("sentences of operations and orders") {
  const std::string where = "backward of micro-batch 4 in stage 3 on IPU 1, position 2";
  CHECK(said(stage_out_of_range) == "ipuflow: no such stage: " + where + "; the stages end at 9");
  CHECK(said(micro_batch_out_of_range) == "ipuflow: no such micro-batch: " + where + "; the micro-batches end at 9");
  CHECK(said(wrong_ipu) == "ipuflow: not the stage's IPU: " + where + "; that stage is on IPU 9");
  CHECK(said(repeated_op) == "ipuflow: done twice: " + where + "; remove one of the two");
  CHECK(said(missing_op) == "ipuflow: never done: " + where + "; add it to the order of that IPU");
  CHECK(said(backward_in_inference) == "ipuflow: not part of inference: " + where + "; remove it or ask for training");
  CHECK(said(mixed_backwards) ==
        "ipuflow: a whole backward beside a split one: " + where +
            "; give a micro-batch either backward or both backward for inputs and for weights");
  CHECK(said(two_at_once) ==
        "ipuflow: two operations of an IPU in one step: " + where + "; this schedule runs one at a time");
  CHECK(said(no_pair) ==
        "ipuflow: no pair: " + where + "; two that run together are neighbours in one step, of which neither needs the other");
  CHECK(said(backward_first) == "ipuflow: before its own forward: " + where + "; move it behind that forward");
  CHECK(said(weights_first) == "ipuflow: before the backward for inputs: " + where + "; move it behind that backward");
  CHECK(said(recomputed_first) ==
        "ipuflow: out of its place: " + where + "; bring in before the forward, and recompute between the forward and its backward");
  CHECK(said(update_first) == "ipuflow: before the last backward of its stage: " + where + "; move it to the end");
  CHECK(said(recomputed_partly) ==
        "ipuflow: never done: " + where + "; a stage recomputes all its micro-batches or none: add it, or leave out the others");
  CHECK(said(not_ready) == "ipuflow: at step 7 too early: " + where + "; what it reads is not there before step 9");
  CHECK(said(falling_step) == "ipuflow: at step 7 behind step 9 of the same IPU: " + where + "; order each row by its steps");
  CHECK(said(deadlock) ==
        "ipuflow: waits for ever: " + where + "; IPU 7 has not reached what it reads and waits itself");
  CHECK(said(channel_order) ==
        "ipuflow: reads its channel out of order: " + where + "; IPU 7 sends micro-batch 9 first");
  CHECK(said(channel_deadlock) ==
        "ipuflow: waits for ever: " + where + " with channels of 9 values; give deeper channels or reorder the sends");
  CHECK(said(fifo_too_shallow) ==
        "ipuflow: stage 3 keeps 7 values in a FIFO of 9; declare it deeper or choose a schedule that keeps fewer");
}

TEST_CASE("no two faults say the same") {
  std::set<std::string> all;
  const auto count = static_cast<std::size_t>(no_costs);
  for (std::size_t i = 1; i <= count; ++i) all.insert(said(static_cast<schedule_wrong>(i)));
  CHECK(all.size() == count);
  CHECK(message(schedule_fault{}).empty());
}

}  // namespace schedule_fault_test
