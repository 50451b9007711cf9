// SPDX-License-Identifier: BSL-1.0
// The slots and steps of a stage as values for an executor: the memory of a slot and its lifetime, the slots that have
// gradients, the step that writes a gradient first and the steps that add to it. All of it follows from `layer_facts`
// by two loops, one in the order of the steps and one against it.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/layer.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::nn {

/// The area where a value or gradient lies. `entry` and `exit` are messages: contiguous, in the order of stage_input and
/// stage_output. `kept` lasts from the forward pass to the last backward pass that needs it (for gradients: from
/// backward_inputs to backward_weights), so there is one for each micro-batch in flight; `passing` lasts for one call.
/// `stored` lasts as long as `kept` does, also where that is made again: values that a later segment begins from.
enum class area : unsigned char { entry, kept, passing, exit, stored };

struct slot_plan {
  std::size_t elements = 0;       // lanes a group
  std::size_t positions = 0;      // of a sequence: its lanes hold these
  std::size_t element_bytes = 0;  // bytes a lane
  bool real = false;              // a tensor of real numbers: may have a gradient
  bool single = false;            // one number a sample: a loss, where it leaves the pipeline
  bool rounds = false;            // halves, computed with as numbers of more bits
  std::size_t root = 0;           // the slot whose memory this is
  std::size_t gradient_root = 0;  // the slot whose gradient this is
  bool has_gradient = false;
  bool travels_back = false;   // its gradient is part of the message from the next stage, or to the one before
  bool never_written = false;  // its gradient travels back but no step writes it: it is zero
  bool cleared = false;        // the step that made it reads its gradient, but no step writes it: it is zero
  area where = area::passing;
  area gradient_where = area::passing;
  bool needed_by_inputs = false;   // backward_inputs reads it
  bool needed_by_weights = false;  // backward_weights reads it
  bool gradient_needed_by_weights = false;
  bool needed_again = false;  // recomputation reads it, or makes it
  std::size_t segment = 0;  // that makes it: checkpoints cut a stage into segments

  constexpr std::size_t bytes_of(std::size_t samples) const { return vectors_of(samples, elements, positions) * lane_count * element_bytes; }
};

namespace impl {

inline constexpr std::size_t area_count = 5;

/// The contribution of a step's backward pass to the gradient of one of its inputs.
enum class contribution : unsigned char { none, written, added };

using slot_list = bounded_vector<std::size_t, 8>;

struct step_plan {
  layer_facts facts{};
  slot_list in{};
  slot_list out{};
  std::size_t block = 0;  // position in the pipeline; -1 for copies
  std::size_t op = 0;
  std::size_t whole_block = 0;  // the number of the block that this one is a part of, if it was cut, and the op's place there
  std::size_t whole_op = 0;
  std::size_t parameters_begin = 0;  // among those of the stage
  std::size_t state_begin = 0;
  bounded_vector<contribution, 8> to{};  // for each input
  bool computes_inputs = false;          // has a backward_inputs to run
  bool runs_again = false;               // recomputation needs what it makes
  std::size_t segment = 0;
};

/// A number that is the layer's own: the same whatever stage it is grouped into, and wherever its block is cut.
constexpr std::uint64_t seed_of(std::uint64_t seed, const step_plan& step) {
  return random_bits(random_bits(seed, step.whole_block), step.whole_op);
}

}  // namespace impl

/// A plan without its sizes: what code for all stages reads.
struct plan_view {
  light_span<const slot_plan> slots{};
  light_span<const impl::step_plan> steps{};
  light_span<const std::size_t> leaving{};
  std::size_t entering = 0;
  std::size_t parameters = 0;
  std::size_t state = 0;
  std::size_t forward_work = 0, input_work = 0, weight_work = 0;
  std::size_t segments = 1;
  bool exit_is_read_later = false;
};

namespace impl {

template <std::size_t Slots, std::size_t Steps>
struct stage_plan {
  bounded_vector<slot_plan, Slots> slots{};
  bounded_vector<step_plan, Steps> steps{};
  std::size_t entering = 0;  // the first slots
  bounded_vector<std::size_t, Slots> leaving{};
  std::size_t parameters = 0;
  std::size_t state = 0;
  std::size_t forward_work = 0, input_work = 0, weight_work = 0;  // multiply-adds a sample
  std::size_t segments = 1;
  bool exit_is_read_later = false;  // by a segment behind the one that makes it

  /// One for each slot.
  constexpr bounded_vector<bool, Slots> marks() const { return {{}, slots.size()}; }

  /// True if values, or gradients, of an area must last until a backward pass: it says when an executor can free them.
  constexpr bool needed_by_inputs(area where) const {
    for (const slot_plan& slot : slots) {
      if (slot.where == where && slot.needed_by_inputs) return true;
    }
    return false;
  }
  constexpr bool needed_by_weights(area where) const {
    for (const slot_plan& slot : slots) {
      if (slot.where == where && slot.needed_by_weights) return true;
    }
    return false;
  }
  constexpr bool gradient_needed_by_weights(area where) const {
    for (const slot_plan& slot : slots) {
      if (slot.gradient_where == where && slot.gradient_needed_by_weights) return true;
    }
    return false;
  }
};

/// Counts parameters and work, and finds which slots have gradients; those of the entering slots are known.
template <class Plan>
constexpr void plan_forward(Plan& plan) {
  for (step_plan& step : plan.steps) {
    step.parameters_begin = plan.parameters;
    step.state_begin = plan.state;
    plan.parameters += step.facts.parameters;
    plan.state += step.facts.state;
    plan.forward_work += step.facts.forward_work;
    plan.weight_work += step.facts.weight_work;
    bool differentiable = step.facts.parameters > 0;
    for (const std::size_t in : step.in) differentiable = differentiable || plan.slots[in].has_gradient;
    for (std::size_t i = 0; i < step.out.size(); ++i) {
      slot_plan& out = plan.slots[step.out[i]];
      out.has_gradient = differentiable && out.real;
      out.gradient_root = i == 0 && step.facts.same_gradient ? plan.slots[step.in[0]].gradient_root : step.out[i];
      if (out.has_gradient && step.facts.parameters > 0) out.gradient_needed_by_weights = true;
    }
  }
}

/// Finds what each backward step does, against the order of the steps: who comes first writes, who follows adds.
template <class Plan>
constexpr void plan_backward(Plan& plan) {
  auto written = plan.marks();
  for (const std::size_t out : plan.leaving) written[plan.slots[out].gradient_root] = true;
  for (std::size_t s = plan.steps.size(); s-- > 0;) {
    step_plan& step = plan.steps[s];
    bool flows = false;
    for (std::size_t i = 0; i < step.out.size(); ++i) {
      slot_plan& out = plan.slots[step.out[i]];
      const bool ignored = i == 0 && step.facts.same_memory;
      flows = flows || out.has_gradient;
      out.cleared = out.has_gradient && !ignored && !written[out.gradient_root];
    }
    for (const std::size_t in : step.in) {
      const slot_plan& slot = plan.slots[in];
      const bool wanted = flows && slot.has_gradient && !step.facts.same_gradient;
      step.to.push_back(!wanted                       ? contribution::none
                        : written[slot.gradient_root] ? contribution::added
                                                      : contribution::written);
      if (wanted) written[slot.gradient_root] = step.computes_inputs = true;
    }
    if (step.computes_inputs) plan.input_work += step.facts.input_work;
  }
  for (std::size_t i = 0; i < plan.entering; ++i)
    plan.slots[i].never_written = plan.slots[i].has_gradient && !written[i];
}

/// Finds what backward passes read, and from it where every slot must lie.
template <class Plan>
constexpr void plan_memory(Plan& plan) {
  for (const step_plan& step : plan.steps) {
    for (const std::size_t in : step.in) {
      slot_plan& root = plan.slots[plan.slots[in].root];
      if (step.computes_inputs && step.facts.inputs_need_input) root.needed_by_inputs = true;
      if (step.facts.parameters > 0) root.needed_by_weights = true;
    }
    for (const std::size_t out : step.out) {
      const slot_plan& slot = plan.slots[out];
      if (step.computes_inputs && step.facts.inputs_need_output) plan.slots[slot.root].needed_by_inputs = true;
      if (slot.gradient_needed_by_weights) plan.slots[slot.gradient_root].gradient_needed_by_weights = true;
    }
  }
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    slot_plan& slot = plan.slots[i];
    slot.where = i < plan.entering                                 ? area::entry
                 : slot.needed_by_inputs || slot.needed_by_weights ? area::kept
                                                                   : area::passing;
    slot.gradient_where = i < plan.entering                 ? area::entry
                          : slot.gradient_needed_by_weights ? area::kept
                                                            : area::passing;
  }
  for (const std::size_t out : plan.leaving) {
    plan.slots[plan.slots[out].root].where = area::exit;
    plan.slots[plan.slots[out].gradient_root].gradient_where = area::exit;
  }
}

/// Finds what recomputation needs: what backward passes read, the steps that make it, and what those read.
template <class Plan>
constexpr void plan_again(Plan& plan) {
  for (slot_plan& slot : plan.slots) slot.needed_again = slot.needed_by_inputs || slot.needed_by_weights;
  for (std::size_t s = plan.steps.size(); s-- > 0;) {
    step_plan& step = plan.steps[s];
    for (const std::size_t out : step.out) {
      if (plan.slots[out].root == out && plan.slots[out].needed_again) step.runs_again = true;
    }
    for (const std::size_t in : step.in) {
      if (step.runs_again) plan.slots[plan.slots[in].root].needed_again = true;
    }
  }
}

/// Cuts a stage into segments at its checkpoints. What one segment makes and another one reads is stored.
template <class Plan>
constexpr void plan_segments(Plan& plan) {
  plan_again(plan);
  for (step_plan& step : plan.steps) {
    if (step.facts.checkpoint) ++plan.segments;
    step.segment = plan.segments - 1;
    const bool reads = !(step.facts.same_memory && step.facts.same_gradient);
    for (const std::size_t in : step.in) {
      const std::size_t index = plan.slots[in].root;
      slot_plan& root = plan.slots[index];
      if (!reads || index < plan.entering || root.segment == step.segment) continue;
      if (root.where == area::exit) {
        plan.exit_is_read_later = true;
      } else {
        root.where = area::stored;
      }
    }
    for (const std::size_t out : step.out) plan.slots[out].segment = step.segment;
  }
}

template <class Plan>
constexpr plan_view view_of(const Plan& plan) {
  return {{plan.slots.data(), plan.slots.size()},
          {plan.steps.data(), plan.steps.size()},
          {plan.leaving.data(), plan.leaving.size()},
          plan.entering,
          plan.parameters,
          plan.state,
          plan.forward_work,
          plan.input_work,
          plan.weight_work,
          plan.segments,
          plan.exit_is_read_later};
}

/// The step behind the last one, before step `limit`, that runs with step `from`: steps that want the whole batch run
/// alone.
template <class Plan>
constexpr std::size_t end_of_part(const Plan& plan, std::size_t from, std::size_t limit) {
  std::size_t end = from + 1;
  while (!plan.steps[from].facts.whole_batch && end < limit && !plan.steps[end].facts.whole_batch) ++end;
  return end;
}
/// The same from behind: the first step, from step `limit` on, that runs with the step before `end`.
template <class Plan>
constexpr std::size_t begin_of_part(const Plan& plan, std::size_t end, std::size_t limit) {
  std::size_t begin = end - 1;
  while (!plan.steps[end - 1].facts.whole_batch && begin > limit && !plan.steps[begin - 1].facts.whole_batch) --begin;
  return begin;
}

/// Of the segment after the last one: one past the last step.
template <class Plan>
constexpr std::size_t first_of_segment(const Plan& plan, std::size_t segment) {
  std::size_t first = 0;
  while (first < plan.steps.size() && plan.steps[first].segment < segment) ++first;
  return first;
}

}  // namespace impl

}  // namespace ipuflow::nn
