// SPDX-License-Identifier: BSL-1.0
// The variables of one stage on tiles, from its plan: a value and a gradient for each slot that has one of its own,
// and a second of each if a pass reads a value that the next micro-batch overwrites.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/maybe.hpp>
#include <ipuflow/nn/layers/layer_name.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>
#include <ipuflow/nn/stage/common_slots.hpp>
#include <ipuflow/nn/stage/stage_arguments.hpp>
#include <ipuflow/nn/stage/stage_panels.hpp>
#include <ipuflow/nn/stage/stage_plan.hpp>
#include <ipuflow/plan/lowered.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// The facts of a slot on tiles, beside what its plan says.
struct slot_kind {
  ipu::element_type type = ipu::element_type::f32;
  ipu::name_text name{};  // of the layer that makes it
  std::size_t argument = no_argument;  // of the run that it holds: neither arrives nor leaves, has no gradient, waits nowhere
};

/// Variables that hold a slot. A view shares those of the slot it aliases. A slot has a gradient only if some pass reads it.
struct slot_variables {
  ipu::variable_id value{};       // that forward writes
  ipu::variable_id again{};       // that recomputing writes and backward reads
  ipu::variable_id gradient{};    // that backward_inputs writes
  ipu::variable_id remembered{};  // that backward_weights reads
  bool has_gradient = false;
};

/// The answers that tiles need of a plan. `by_segment`: what one segment makes and a later one reads is not made again.
template <class = void>
struct basic_tile_plan : plan_view {
  explicit basic_tile_plan(const plan_view& plan, bool by_segment = false)
      : plan_view{plan}, stored(plan.slots.size(), false), needed_again(plan.slots.size(), false), runs_again(plan.steps.size(), false) {
    for (const step_plan& step : steps) {
      const bool reads = !(step.facts.same_memory && step.facts.same_gradient);
      for (const std::size_t in : step.in) {
        const std::size_t root = slots[in].root;
        if (by_segment && reads && root >= entering && slots[root].segment != step.segment) stored[root] = true;
      }
    }
    for (std::size_t i = 0; i < slots.size(); ++i) needed_again[i] = is_needed(i);
    for (std::size_t s = steps.size(); s-- > 0;) {
      for (const std::size_t out : steps[s].out) {
        if (slots[out].root == out && needed_again[out] && !stored[out]) runs_again[s] = true;
      }
      for (const std::size_t in : steps[s].in) {
        if (runs_again[s]) needed_again[slots[in].root] = true;
      }
    }
  }

  light_vector<bool> stored;        // of each slot: from the forward pass on, for a later segment
  light_vector<bool> needed_again;  // of each slot: a backward pass or a recomputation reads it
  light_vector<bool> runs_again;    // of each step
  /// True if the forward pass leaves a slot to recomputation.
  bool is_left(std::size_t root) const { return (root < entering || stored[root]) && needed_again[root]; }

  /// The first output of a layer that has it in the memory of its input: its gradient is not looked at.
  bool is_ignored(const step_plan& step, std::size_t output) const { return output == 0 && step.facts.same_memory; }

  /// True if some pass reads the gradient of a slot, as far as it is known here.
  bool reads_gradient(std::size_t root) const {
    for (const step_plan& step : steps) {
      for (std::size_t i = 0; i < step.out.size(); ++i) {
        const slot_plan& out = slots[step.out[i]];
        if (out.has_gradient && out.gradient_root == root && !is_ignored(step, i)) return true;
      }
    }
    return root < entering && slots[root].has_gradient;
  }
  /// True if some step or the stage behind writes it.
  bool writes_gradient(std::size_t root) const {
    for (const step_plan& step : steps) {
      for (std::size_t i = 0; i < step.to.size(); ++i) {
        if (step.to[i] != contribution::none && slots[step.in[i]].gradient_root == root) return true;
      }
    }
    return leaves(root);
  }
  bool is_needed(std::size_t root) const { return slots[root].needed_by_inputs || slots[root].needed_by_weights; }
  bool hands_on(std::size_t root) const {
    for (const std::size_t out : leaving) {
      if (slots[out].root == root) return true;
    }
    return false;
  }
  /// True if its gradient comes from the stage behind.
  bool leaves(std::size_t root) const {
    for (const std::size_t out : leaving) {
      if (slots[out].gradient_root == root) return true;
    }
    return false;
  }
};
using tile_plan = basic_tile_plan<>;

template <class = void>
[[nodiscard]] inline ipu::name_text name_of_step(const stage_on_tiles& stage, std::size_t i) {
  const std::size_t block = stage.plan.steps[i].block;
  return layer_name(block < stage.blocks.size() ? stage.blocks[block] : std::string_view{}, stage.code[i]->type);
}

/// "layer[3] attention forward": that pass of a step.
template <class = void>
[[nodiscard]] inline ipu::name_text name_of_step(const stage_on_tiles& stage, std::size_t i, std::string_view pass) {
  ipu::name_text name = name_of_step(stage, i);
  name += " ", name += pass;
  return name;
}

template <class = void>
inline void add_number(ipu::name_text& name, std::size_t number) {
  name += " ";
  name += number;
}

/// The kinds of all slots: a value is called after the layer that makes it, what enters after the stage's first block.
template <class = void>
[[nodiscard]] inline light_vector<slot_kind> kinds_of(const stage_on_tiles& stage) {
  light_vector<slot_kind> made(stage.plan.slots.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i].type = stage.types[i];
    made[i].argument = stage.arguments[i];
  }
  for (std::size_t i = 0; i < stage.plan.entering; ++i) {
    made[i].name = layer_name(stage.blocks[stage.first_block], "entry");
    if (stage.plan.entering > 1) add_number(made[i].name, i);
  }
  for (std::size_t s = 0; s < stage.plan.steps.size(); ++s) {
    const slot_list& out = stage.plan.steps[s].out;
    for (std::size_t i = 0; i < out.size(); ++i) {
      made[out[i]].name = name_of_step(stage, s);
      if (i > 0) add_number(made[out[i]].name, i);
    }
  }
  return made;
}

/// Makes the variables of all slots in one graph and notes in `to` what of them others must know.
template <class = void>
class basic_stage_variables {
 public:
  basic_stage_variables(ipu::graph& g, const plan::lowering_options& o, const plan_view& plan,
                  light_span<const slot_kind> kinds, plan::lowered& to, const stage_panels* layout = nullptr)
      : g_{g}, o_{o}, plan_{plan, o.by_segment}, kinds_{kinds}, layout_{layout}, slots_(plan.slots.size()) {
    if (o.share_code && o.training && o.recomputes && o.by_segment && !o.halves_run)
      like_ = common_slots_of(plan, [&](std::size_t a, std::size_t b) { return stand_alike(a, b); });
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (is_argument(i)) {
        make_argument(i, to);
        continue;
      }
      if (plan.slots[i].root == i) make_values(i, to);
      if (o.training) make_gradients(i, to);
    }
    for (std::size_t i = 0; i < slots_.size(); ++i) follow_roots(i);
    for (std::size_t i = 0; i < plan.entering; ++i) {
      if (is_argument(i)) continue;
      to.entry.push_back(slots_[i].value);
      to.entry_gradients.push_back(travelling(i));
    }
    for (const std::size_t out : plan.leaving) {
      if (is_argument(out)) continue;
      to.exit.push_back(slots_[out].value);
      to.exit_gradients.push_back(travelling(out));
    }
  }

  const slot_variables& operator[](std::size_t slot) const { return slots_[slot]; }
  [[nodiscard]] bool is_argument(std::size_t slot) const { return kinds_[slot].argument != no_argument; }
  /// True if recomputation runs a step.
  bool runs_again(std::size_t step) const { return plan_.runs_again[step]; }

  /// The variable in which what is to be added to a slot's gradient is written first.
  ipu::variable_id more_of(std::size_t slot) {
    const ipu::variable_id gradient = slots_[slot].gradient;
    for (const auto& [of, more] : more_) {
      if (of.index == gradient.index) return more;
    }
    const ipu::variable like = g_[gradient];
    const ipu::variable_id made = g_.add_temporary(ipu::name_from("more"), like.type(), like.elements(), like.map());
    if (!is_common(gradient)) return made;
    more_.push_back({gradient, made});
    common_.push_back(made);
    return made;
  }
  /// True for a variable that one segment after the other has for a slot of its own.
  [[nodiscard]] bool is_common(ipu::variable_id v) const {
    return algorithms::any_of(common_.begin(), common_.end(), [&](ipu::variable_id known) { return known.index == v.index; });
  }
  void share(ipu::variable_id v) {
    if (!is_common(v)) common_.push_back(v);
  }

 private:
  bool stand_alike(std::size_t a, std::size_t b) const {
    return kinds_[a].type == kinds_[b].type && plan_.slots[a].elements == plan_.slots[b].elements && layout_ != nullptr &&
           (*layout_)[a].order == (*layout_)[b].order && (*layout_)[a].map == (*layout_)[b].map;
  }

  ipu::variable_id make(std::size_t slot, std::string_view what, bool keeps = false) const {
    ipu::name_text name = kinds_[slot].name;
    name += what;
    const std::size_t elements = plan_.slots[slot].elements * o_.samples;
    const bool chosen = layout_ != nullptr && !(*layout_)[slot].map.empty();
    const ipu::mapping map = chosen ? (*layout_)[slot].map : spread(g_, kinds_[slot].type, elements, o_.where);
    return keeps ? g_.add_variable(name, kinds_[slot].type, elements, map) : g_.add_temporary(name, kinds_[slot].type, elements, map);
  }

  /// Only where a layer reads it.
  void make_argument(std::size_t i, plan::lowered& to) {
    bool read = false;
    for (const step_plan& step : plan_.steps) {
      const bool only_handed_on = step.out.size() == 1 && is_argument(step.out[0]);
      for (const std::size_t in : step.in) read = read || (plan_.slots[in].root == i && !only_handed_on);
    }
    if (i >= plan_.entering || !read) return;
    slots_[i].value = slots_[i].again = make(i, "", true);
    to.arguments.push_back({kinds_[i].argument, plan_.slots[i].elements, slots_[i].value});
  }

  void make_values(std::size_t i, plan::lowered& to) {
    const bool needed = plan_.is_needed(i);
    if (!like_.value.empty() && like_.value[i] != i) {
      const slot_variables& like = slots_[like_.value[i]];
      slots_[i].value = like.value, slots_[i].again = like.again;
      share(like.value), share(like.again);
      return;
    }
    slots_[i].value = slots_[i].again = make(i, "");
    if (!o_.training) return;
    if (o_.recomputes ? plan_.is_left(i) : needed) {
      if (o_.values_wait) slots_[i].again = make(i, " kept");
      to.values.push_back({slots_[i].value, slots_[i].again});
    } else if (o_.recomputes && (o_.values_wait || (!needed && plan_.hands_on(i)))) {
      slots_[i].again = make(i, " again");  // what forward has made may still be on its way to the next stage
    }
  }

  void make_gradients(std::size_t i, plan::lowered& to) {
    const slot_plan& slot = plan_.slots[i];
    if (slot.gradient_root != i || !slot.has_gradient) return;
    if (!plan_.reads_gradient(i) && !plan_.writes_gradient(i)) return;
    if (!plan_.reads_gradient(i) && plan_.leaves(i)) return;
    slots_[i].has_gradient = true;
    if (!like_.gradient.empty() && like_.gradient[i] != i && slots_[like_.gradient[i]].has_gradient) {
      slots_[i].gradient = slots_[i].remembered = slots_[like_.gradient[i]].gradient;
      share(slots_[i].gradient);
      return;
    }
    slots_[i].gradient = slots_[i].remembered = make(i, " gradient");
    if (!slot.gradient_needed_by_weights) return;
    if (o_.slopes_wait) slots_[i].remembered = make(i, " gradient kept");
    to.slopes.push_back({slots_[i].gradient, slots_[i].remembered});
  }

  void follow_roots(std::size_t i) {
    const slot_plan& slot = plan_.slots[i];
    slots_[i].value = slots_[slot.root].value;
    slots_[i].again = slots_[slot.root].again;
    const slot_variables root = slots_[slot.gradient_root];
    slots_[i].has_gradient = root.has_gradient;
    slots_[i].gradient = root.gradient;
    slots_[i].remembered = root.remembered;
  }

  maybe<ipu::variable_id> travelling(std::size_t slot) const {
    if (!plan_.slots[slot].travels_back || !slots_[slot].has_gradient) return {};
    return slots_[slot].gradient;
  }

  ipu::graph& g_;
  const plan::lowering_options& o_;
  tile_plan plan_;
  light_span<const slot_kind> kinds_;
  const stage_panels* layout_;  // none: all values are `spread`
  light_vector<slot_variables> slots_;
  common_slots like_{};
  light_vector<ipu::variable_id> common_{};
  light_vector<light_pair<ipu::variable_id, ipu::variable_id>> more_{};  // of common gradients
};
using stage_variables = basic_stage_variables<>;

}  // namespace impl

}  // namespace ipuflow::nn
