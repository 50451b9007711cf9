// SPDX-License-Identifier: BSL-1.0
// The search for what is not a number, after the forward pass of a stage: in its losses always, as that costs nothing; in
// all that it was given, has learned and has made once a loss was wrong.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/nn/simd/half_lanes.hpp>
#include <ipuflow/nn/stage/host_stage.hpp>
#include <ipuflow/train/loss_fault.hpp>

#include <cstddef>

namespace ipuflow::train::impl {

/// True if one of the numbers of the samples of a slot is none.
template <class T>
bool slot_has_nan(const nn::host_stage<T>& stage, std::size_t slot, const nn::stage_memory& memory) {
  const nn::slot_plan& of = stage.code().plan.slots[slot];
  const std::size_t samples = stage.layout().samples;
  const auto* const all = reinterpret_cast<const nn::lanes<T>*>(stage.value_of(slot, memory));
  for (std::size_t i = 0; i < samples; ++i) {
    for (std::size_t e = 0; e < of.elements; ++e) {
      const nn::lane_place at = nn::place_of(i, e, of.elements, of.positions);
      const auto value = static_cast<double>(all[at.vector][at.lane]);
      if (value != value) return true;
    }
  }
  return false;
}

/// Throws if a loss that leaves a last stage is not a number.
template <class T>
void look_at_losses(const nn::host_stage<T>& stage, const nn::stage_memory& memory) {
  const nn::plan_view& plan = stage.code().plan;
  for (const std::size_t slot : plan.leaving) {
    if (!plan.slots[slot].single || !plan.slots[slot].travels_back || !slot_has_nan(stage, slot, memory)) continue;
    throw rejected{loss_fault{loss_wrong::of_micro_batch}};  // where is found out when the iteration is run again
  }
}

/// Throws for the first thing that is not a number: of what enters, `first` being the first stage, of the weights of a
/// layer, of what it makes.
template <class T>
void look_at_everything(const nn::host_stage<T>& stage, const nn::stage_memory& memory, light_span<const T> values, bool first) {
  const nn::plan_view& plan = stage.code().plan;
  for (const auto& step : plan.steps) {
    const auto refuse = [&](loss_wrong kind) {
      throw rejected{loss_fault{kind, 0, 0, {.block = step.block, .layer = step.whole_op}}};
    };
    for (const std::size_t slot : step.in) {
      if (first && plan.slots[slot].real && slot_has_nan(stage, slot, memory)) refuse(loss_wrong::of_samples);
    }
    first = false;  // the others read what layers made
    for (const T value : values.subspan(step.parameters_begin, step.facts.parameters)) {
      const auto number = static_cast<double>(value);
      if (number != number) refuse(loss_wrong::of_weights);
    }
    for (const std::size_t slot : step.out) {
      if (plan.slots[slot].real && slot_has_nan(stage, slot, memory)) refuse(loss_wrong::of_layer);
    }
  }
}

}  // namespace ipuflow::train::impl
