// SPDX-License-Identifier: BSL-1.0
// Notes that the forward passes of layers leave on tiles for their backward passes beside values, as a norm its statistics: a variable for
// each such step, and a second one where the next micro-batch would overwrite it. They wait, and are made again, with the values.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/nn/lowerings/lowering_calls.hpp>
#include <ipuflow/nn/stage/shared_passes.hpp>
#include <ipuflow/nn/stage/stage_variables.hpp>

#include <cstddef>

namespace ipuflow::nn::impl {

/// The notes of a step: what its forward pass writes, and what its backward passes read.
struct step_notes {
  bool is_taken = false;
  ipu::variable_id made{};
  ipu::variable_id read{};
};

template <class = void>
class basic_stage_notes {
 public:
  basic_stage_notes() = default;
  basic_stage_notes(ipu::graph& g, const stage_on_tiles& stage, const plan::lowering_options& o, stage_variables& slots,
                    const light_vector<std::size_t>& alike, plan::lowered& to)
      : notes_(stage.plan.steps.size()) {
    for (std::size_t i = 0; o.training && i < notes_.size(); ++i) {
      const std::size_t rows = stage.code[i]->noted == nullptr ? 0 : stage.code[i]->noted(o.samples);
      if (rows == 0) continue;
      step_notes& n = notes_[i];
      const bool again = o.recomputes && slots.runs_again(i), shares = again && slots.is_common(slots[stage.plan.steps[i].in[0]].again);
      if (shares && alike[i] != not_shared && alike[i] != i && notes_[alike[i]].is_taken && slots.is_common(notes_[alike[i]].read)) {
        n = notes_[alike[i]];
        continue;
      }
      const ipu::mapping map = ipu::linear(2 * rows, algorithms::min(rows, ipu::tiles_for(g, o.where)), o.where.first_tile, 2);
      const auto make = [&](const char* what) {
        ipu::name_text name = name_of_step(stage, i);
        name += what;
        return g.add_temporary(name, ipu::element_type::f32, 2 * rows, map);
      };
      n = {true, make(" statistics"), {}};
      n.read = o.values_wait ? make(" statistics kept") : n.made;
      if (shares) slots.share(n.made), slots.share(n.read);
      if (!again) to.values.push_back({n.made, n.read});
    }
  }

  /// The numbers of a step and its notes: those that its forward pass makes, or those of later passes.
  [[nodiscard]] layer_numbers beside(layer_numbers numbers, std::size_t step, bool forward) const {
    const step_notes& n = notes_[step];
    numbers.has_notes = n.is_taken, numbers.notes = forward ? n.made : n.read;
    return numbers;
  }
  [[nodiscard]] bool is_the_same_again(std::size_t step) const { return notes_[step].made.index == notes_[step].read.index; }

 private:
  light_vector<step_notes> notes_{};
};
using stage_notes = basic_stage_notes<>;

}  // namespace ipuflow::nn::impl
