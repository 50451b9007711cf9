// SPDX-License-Identifier: BSL-1.0
// The memory that one stage needs for one micro-batch, owned by the executor, and the place of each slot in it. Sizes
// follow from the plan and from the number of samples.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/nn/stage/stage_plan.hpp>

#include <cstddef>

namespace ipuflow::nn {

/// Every area begins at a multiple of this, and so does every value in it.
inline constexpr std::size_t area_alignment = 128;

/// The memory of the areas of one micro-batch, values and gradients. Entry and exit may be the very memory of the
/// neighbours.
struct stage_memory {
  std::byte* values[impl::area_count]{};
  std::byte* gradients[impl::area_count]{};

  constexpr std::byte*& value(area where) { return values[static_cast<std::size_t>(where)]; }
  constexpr std::byte*& gradient(area where) { return gradients[static_cast<std::size_t>(where)]; }
};

/// The sizes of the areas.
struct area_sizes {
  std::size_t samples = 0;
  std::size_t groups = 0;
  std::size_t sum_offset = 0;  // in passing gradients: what is to be added to a gradient that exists
  std::size_t value_bytes[impl::area_count]{};
  std::size_t gradient_bytes[impl::area_count]{};

  constexpr bytes bytes_of_values(area where) const { return {value_bytes[static_cast<std::size_t>(where)]}; }
  constexpr bytes bytes_of_gradients(area where) const { return {gradient_bytes[static_cast<std::size_t>(where)]}; }
};

namespace impl {

/// Offsets of values and gradients in their areas, too, where the number of slots is known.
template <std::size_t Slots>
struct stage_layout : area_sizes {
  std::size_t value_offset[Slots == 0 ? 1 : Slots]{};
  std::size_t gradient_offset[Slots == 0 ? 1 : Slots]{};
};

}  // namespace impl

/// The same for any stage.
struct host_layout : area_sizes {
  dynamic_array<std::size_t> value_offset;
  dynamic_array<std::size_t> gradient_offset;
};

/// Memory of a slot for some samples, rounded up so that the next one is aligned.
constexpr std::size_t bytes_for(const slot_plan& slot, std::size_t samples) {
  return (slot.bytes_of(samples) + area_alignment - 1) / area_alignment * area_alignment;
}

namespace impl {

/// Puts every slot in its place. `by_segment`: kept values last as long as their segment is gone back through, and those
/// of all segments share memory.
template <class Plan, class Layout>
constexpr void lay_out(const Plan& plan, Layout& layout, std::size_t samples, bool by_segment) {
  layout.samples = samples;
  layout.groups = groups_for(samples);
  const auto append = [&](std::size_t* sizes, area where, const slot_plan& slot) {
    const std::size_t offset = sizes[static_cast<std::size_t>(where)];
    sizes[static_cast<std::size_t>(where)] += bytes_for(slot, layout.samples);
    return offset;
  };
  std::size_t segment = 0;  // slots are in the order of their segments
  std::size_t most_kept = 0;
  std::size_t& kept = layout.value_bytes[static_cast<std::size_t>(area::kept)];
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    const slot_plan& slot = plan.slots[i];
    if (by_segment && slot.segment != segment) kept = 0;
    segment = slot.segment;
    if (slot.root == i && slot.where != area::exit)
      layout.value_offset[i] = append(layout.value_bytes, slot.where, slot);
    if (kept > most_kept) most_kept = kept;
    const bool entering = i < plan.entering;
    if (entering ? slot.travels_back
                 : slot.has_gradient && slot.gradient_root == i && slot.gradient_where != area::exit) {
      layout.gradient_offset[i] = append(layout.gradient_bytes, slot.gradient_where, slot);
    }
  }
  kept = most_kept;
  for (const std::size_t out : plan.leaving) {
    const slot_plan& slot = plan.slots[out];
    layout.value_offset[slot.root] = append(layout.value_bytes, area::exit, slot);
    if (!slot.travels_back) continue;
    layout.gradient_offset[slot.gradient_root] = append(layout.gradient_bytes, area::exit, slot);
  }
  std::size_t largest = 0;
  for (const step_plan& step : plan.steps) {
    for (std::size_t i = 0; i < step.in.size(); ++i) {
      const std::size_t size = bytes_for(plan.slots[step.in[i]], layout.samples);
      if (step.to[i] == contribution::added && size > largest) largest = size;
    }
  }
  std::size_t& passing = layout.gradient_bytes[static_cast<std::size_t>(area::passing)];
  layout.sum_offset = passing;
  passing += largest;
}

}  // namespace impl

template <std::size_t Slots, std::size_t Steps>
constexpr impl::stage_layout<Slots> layout_of(const impl::stage_plan<Slots, Steps>& plan, std::size_t samples,
                                        bool by_segment = false) {
  impl::stage_layout<Slots> layout;
  impl::lay_out(plan, layout, samples, by_segment);
  return layout;
}
constexpr host_layout layout_of(const plan_view& plan, std::size_t samples, bool by_segment = false) {
  host_layout layout{{}, dynamic_array<std::size_t>(plan.slots.size()), dynamic_array<std::size_t>(plan.slots.size())};
  impl::lay_out(plan, layout, samples, by_segment);
  return layout;
}

}  // namespace ipuflow::nn
