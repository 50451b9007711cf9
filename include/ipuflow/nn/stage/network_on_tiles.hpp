// SPDX-License-Identifier: BSL-1.0
// A pipeline of one stage outside of its types: its blocks are lowered as stages that are chosen while a program runs, by code for all
// networks. A stage may be lowered as its two ends alone, where a program looks at the chips beside it.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/maybe.hpp>
#include <ipuflow/nn/stage/stage_cut.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::nn {

/// Neighbouring weights that are a copy of others, as places among all parameters of a network.
struct copied_weights {
  std::size_t table = 0;
  std::size_t copy = 0;
};

/// A pipeline of one stage outside of its types: what is lowered when its stages are cut while a program runs.
class network_on_tiles {
 public:
  /// Not explicit, so that functions that take a network take its description too.
  template <class P>
    requires requires { P::stage_count; }
  network_on_tiles(const P&) : stage_{tile_stage<P, 0>::table}, blocks_{P::block_count} {
    static_assert(accept<impl::verify_one_stage<P>()>());
    for (const tie& t : ties_of<P>) copies_.push_back({t.table_first, t.copy_first});
  }

  [[nodiscard]] const impl::stage_on_tiles& stage() const { return stage_; }
  [[nodiscard]] std::size_t blocks() const { return blocks_; }
  [[nodiscard]] std::string_view name_of(std::size_t block) const { return stage_.blocks[block]; }
  [[nodiscard]] std::size_t parameters() const { return stage_.plan.parameters; }
  /// Tensors of trained numbers: the weights and the biases of each layer that has them.
  [[nodiscard]] std::size_t tensors() const {
    std::size_t count = 0;
    for (const impl::step_plan& step : stage_.plan.steps)
      count += (step.facts.parameters > step.facts.biases ? 1u : 0u) + (step.facts.biases > 0 ? 1u : 0u);
    return count;
  }
  /// Trained numbers of the blocks before this one.
  [[nodiscard]] std::size_t parameters_before(std::size_t block) const {
    std::size_t sum = 0;
    for (const impl::step_plan& step : stage_.plan.steps) {
      if (impl::slot_uses::block_of(step, blocks_) < block) sum += step.facts.parameters;
    }
    return sum;
  }
  /// Trained numbers of some blocks, without layers whose weights are a copy of others, which may stand there already.
  [[nodiscard]] std::size_t numbers_of(block_range range) const {
    std::size_t sum = 0;
    for (const impl::step_plan& step : stage_.plan.steps) {
      const std::size_t block = impl::slot_uses::block_of(step, blocks_);
      const auto is_copy = [&](const copied_weights& c) { return c.copy == step.parameters_begin; };
      if (block < range.first || block >= range.last || algorithms::any_of(copies_.begin(), copies_.end(), is_copy)) continue;
      sum += step.facts.parameters;
    }
    return sum;
  }
  [[nodiscard]] const light_vector<copied_weights>& copies() const { return copies_; }

  /// Numbers that are the same for blocks that are lowered to the same programs: those of their layers, in the order of their codes, and of
  /// the values at their ends.
  template <class = void>
  [[nodiscard]] light_vector<std::size_t> kind_of(block_range range, inputs_enter where = inputs_enter::in_front) const {
    const impl::stage_cut cut(stage_, blocks_, range, where);
    const impl::stage_on_tiles table = cut.table();
    light_vector<std::size_t> made{table.is_last, table.plan.entering};
    for (const impl::step_plan& step : table.plan.steps) {
      const auto* const code = table.code[static_cast<std::size_t>(&step - table.plan.steps.data())];
      made.push_back(number_of(code));
      for (const std::size_t in : step.in) made.push_back(in);
      for (const std::size_t out : step.out) made.push_back(out);
    }
    for (const std::size_t out : table.plan.leaving) made.push_back(out), made.push_back(table.plan.slots[out].travels_back);
    for (std::size_t i = 0; i < table.plan.entering; ++i) {
      const slot_plan& slot = table.plan.slots[i];
      for (const std::size_t n : {slot.elements, std::size_t{slot.has_gradient}, static_cast<std::size_t>(table.types[i])}) made.push_back(n);
    }
    return made;
  }

  /// Some blocks on the tiles that `o` says, lowered as a stage that has these blocks.
  template <class = void>
  plan::lowered lower(ipu::graph& g, block_range range, const plan::lowering_options& o, inputs_enter where = inputs_enter::in_front) const {
    throw_if(impl::verify_range(range, blocks_));
    const impl::stage_cut cut(stage_, blocks_, range, where);
    return impl::stage_lowering{g, cut.table(), o}.take();
  }

  /// The same without what is between its ends: variables that others fill and read, and passes that do nothing.
  template <class = void>
  plan::lowered ends(ipu::graph& g, block_range range, const plan::lowering_options& o, inputs_enter where = inputs_enter::in_front) const {
    throw_if(impl::verify_range(range, blocks_));
    const impl::stage_cut cut(stage_, blocks_, range, where);
    const impl::stage_on_tiles table = cut.table();
    plan::lowered made;
    const auto add_end = [&](std::size_t slot) {
      const std::size_t elements = table.plan.slots[slot].elements * o.samples;
      return g.add_temporary(ipu::name_from("end"), table.types[slot], elements, spread(g, table.types[slot], elements, o.where));
    };
    const auto add_both = [&](std::size_t slot, light_vector<ipu::variable_id>& values, light_vector<maybe<ipu::variable_id>>& gradients) {
      if (table.arguments[slot] != no_argument) return;
      values.push_back(add_end(slot));
      gradients.push_back({});
      if (o.training && table.plan.slots[slot].travels_back) gradients.back() = add_end(slot);
    };
    for (std::size_t i = 0; i < table.plan.entering; ++i) add_both(i, made.entry, made.entry_gradients);
    for (const std::size_t out : table.plan.leaving) add_both(out, made.exit, made.exit_gradients);
    return made;
  }

 private:
  /// Layers that are alike have one code; it is numbered by the first step that has it.
  std::size_t number_of(const impl::lowering_code* code) const {
    std::size_t at = 0;
    while (at < stage_.code.size() && stage_.code[at] != code) ++at;
    return at;
  }

  impl::stage_on_tiles stage_;
  std::size_t blocks_;
  light_vector<copied_weights> copies_{};
};

}  // namespace ipuflow::nn
