// SPDX-License-Identifier: BSL-1.0
// Some blocks of a pipeline of one stage as a stage of their own, cut while the program runs: the plan that a typed stage of these
// blocks would have. So a planner lowers, and counts, any cut of a network that was compiled once.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/nn/stage/tile_stage.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::nn {

/// Blocks [first, last) of a pipeline.
struct block_range {
  std::size_t first = 0;
  std::size_t last = 0;

  friend constexpr bool operator==(const block_range&, const block_range&) = default;
};

/// The stage at which inputs of a pipeline enter. A typed pipeline has them all in its first stage, which hands on what later ones read;
/// the vendor's streams go to the chip that reads them first.
enum class inputs_enter : unsigned char { in_front, where_read };

namespace impl {

/// A stage's plan of any size.
struct listed_plan {
  light_vector<slot_plan> slots{};
  light_vector<step_plan> steps{};
  std::size_t entering = 0;
  light_vector<std::size_t> leaving{};
  std::size_t parameters = 0;
  std::size_t state = 0;
  std::size_t forward_work = 0, input_work = 0, weight_work = 0;
  std::size_t segments = 1;
  bool exit_is_read_later = false;

  [[nodiscard]] light_vector<bool> marks() const { return light_vector<bool>(slots.size(), false); }
};

/// A copy where a value leaves that entered, or leaves twice, whatever its type.
inline constexpr lowering_code copy_code{
    .panels = {},
    .forward = [](const lowering& l, const step_values& v) { return ipu::copy_all(l.g, v.in[0], v.out[0]); },
    .backward_inputs = [](const lowering& l, const step_values& v) { return ipu::copy_all(l.g, v.d_out[0], v.d_in[0]); },
    .type = "copy"};

/// The block that makes each slot of a stage, the first one of what enters, and the last block that reads it.
template <class = void>
struct basic_slot_uses {
  light_vector<std::size_t> made_by, last_read;

  basic_slot_uses(const plan_view& plan, std::size_t blocks, inputs_enter where = inputs_enter::in_front)
      : made_by(plan.slots.size(), 0), last_read(plan.slots.size(), 0) {
    light_vector<bool> is_read(plan.entering, where == inputs_enter::in_front);
    for (const step_plan& step : plan.steps) {
      const std::size_t block = block_of(step, blocks);
      for (const std::size_t in : step.in) {
        last_read[in] = algorithms::max(last_read[in], block);
        if (in < is_read.size() && !is_read[in]) made_by[in] = block, is_read[in] = true;
      }
      for (const std::size_t out : step.out) made_by[out] = last_read[out] = block;
    }
    for (const std::size_t out : plan.leaving) last_read[out] = blocks;
  }

  /// Copies at the end are work of the last block.
  static std::size_t block_of(const step_plan& step, std::size_t blocks) { return algorithms::min(step.block, blocks - 1); }
  /// True if a block behind `block` gets what it or one before makes.
  [[nodiscard]] bool passes(std::size_t slot, std::size_t block) const { return made_by[slot] <= block && last_read[slot] > block; }
};
using slot_uses = basic_slot_uses<>;

/// A cut out of a stage. What enters is what earlier blocks have made or handed on and later ones read, then what enters the pipeline
/// here; what leaves is what blocks behind read, and results of the pipeline.
template <class = void>
class basic_stage_cut {
 public:
  basic_stage_cut(const stage_on_tiles& whole, std::size_t blocks, block_range range, inputs_enter where = inputs_enter::in_front)
      : whole_{whole}, blocks_{blocks}, range_{range}, uses_{whole.plan, blocks, where} {
    enter();
    take_steps();
    leave();
    plan_forward(plan_);
    plan_backward(plan_);
    plan_memory(plan_);
    plan_segments(plan_);
  }

  /// To be used as long as this is there.
  [[nodiscard]] stage_on_tiles table() const {
    return {.plan = view_of(plan_),
            .code = code_,
            .shared = shared_,
            .types = types_,
            .arguments = arguments_,
            .blocks = whole_.blocks,
            .first_block = range_.first,
            .is_last = range_.last == blocks_};
  }

 private:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  std::size_t add_slot(std::size_t of) {
    const slot_plan& known = whole_.plan.slots[of];
    const std::size_t made = plan_.slots.size();
    plan_.slots.push_back({.elements = known.elements, .positions = known.positions, .element_bytes = known.element_bytes, .real = known.real,
                           .single = known.single, .root = made, .gradient_root = made});
    types_.push_back(whole_.types[of]);
    arguments_.push_back(whole_.arguments[of]);
    return made;
  }
  bool travels(std::size_t slot) const { return slot >= whole_.plan.entering && whole_.plan.slots[slot].real; }

  void enter() {
    number_.assign(whole_.plan.slots.size(), nowhere);
    for (std::size_t i = 0; i < number_.size(); ++i) {
      if (range_.first == 0 || !uses_.passes(i, range_.first - 1)) continue;
      number_[i] = add_slot(i);
      plan_.slots.back().has_gradient = plan_.slots.back().travels_back = travels(i);
    }
    for (std::size_t i = 0; i < whole_.plan.entering; ++i) {
      if (uses_.made_by[i] >= range_.first && uses_.made_by[i] < range_.last) number_[i] = add_slot(i);
    }
    plan_.entering = plan_.slots.size();
  }

  void take_steps() {
    for (std::size_t s = 0; s < whole_.plan.steps.size(); ++s) {
      const step_plan& known = whole_.plan.steps[s];
      const std::size_t block = slot_uses::block_of(known, blocks_);
      if (block < range_.first || block >= range_.last) continue;
      step_plan step{.facts = known.facts, .block = known.block, .op = known.op, .whole_block = known.whole_block, .whole_op = known.whole_op};
      for (const std::size_t in : known.in) step.in.push_back(number_[in]);
      for (std::size_t i = 0; i < known.out.size(); ++i) {
        number_[known.out[i]] = add_slot(known.out[i]);
        step.out.push_back(number_[known.out[i]]);
        if (i == 0 && known.facts.same_memory) plan_.slots.back().root = plan_.slots[step.in[0]].root;
      }
      plan_.steps.push_back(step);
      code_.push_back(whole_.code[s]);
      if (!whole_.shared.empty()) shared_.push_back(whole_.shared[s]);
    }
  }

  void leave() {
    const auto let_go = [&](std::size_t slot) {
      std::size_t out = number_[slot];
      const std::size_t root = plan_.slots[out].root;
      bool in_place = root >= plan_.entering;
      for (const std::size_t gone : plan_.leaving) in_place = in_place && plan_.slots[gone].root != root;
      if (!in_place) {
        step_plan step{.facts = {.inputs_need_input = false}, .block = nowhere};
        step.in.push_back(out);
        out = add_slot(slot);
        step.out.push_back(out);
        plan_.steps.push_back(step);
        code_.push_back(&copy_code);
        if (!whole_.shared.empty()) shared_.push_back(shared_weights::no);
      }
      plan_.leaving.push_back(out);
      return out;
    };
    if (range_.last == blocks_) {
      for (const std::size_t slot : whole_.plan.leaving) {
        const std::size_t out = let_go(slot);
        plan_.slots[out].travels_back = whole_.plan.slots[slot].travels_back;
      }
      return;
    }
    for (std::size_t i = 0; i < number_.size(); ++i) {
      if (!uses_.passes(i, range_.last - 1)) continue;
      const std::size_t out = let_go(i);
      plan_.slots[out].travels_back = travels(i);
    }
  }

  stage_on_tiles whole_;
  std::size_t blocks_;
  block_range range_;
  slot_uses uses_;
  light_vector<std::size_t> number_{};                 // here
  listed_plan plan_{};
  light_vector<const lowering_code*> code_{};
  light_vector<shared_weights> shared_{};
  light_vector<ipu::element_type> types_{};
  light_vector<std::size_t> arguments_{};
};
using stage_cut = basic_stage_cut<>;

template <class P>
constexpr nn_fault verify_one_stage() {
  if (P::stage_count == 1) return {};
  return {nn_wrong::several_stages, P::stage_count, 1};
}
template <class = void>
constexpr nn_fault verify_range(block_range range, std::size_t blocks) {
  if (range.first < range.last && range.last <= blocks) return {};
  return {nn_wrong::no_such_blocks, range.last, blocks, {.op = range.first}};
}

}  // namespace impl

}  // namespace ipuflow::nn
