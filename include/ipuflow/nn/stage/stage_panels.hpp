// SPDX-License-Identifier: BSL-1.0
// The layouts of a stage's values on its tiles, chosen over all of it: one cut of the rows for all its products, in which values
// between layers that know panels stay where they are made. What enters and leaves, and what other layers read, stands row by row.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/matmul.hpp>
#include <ipuflow/nn/lowerings/lowering_calls.hpp>
#include <ipuflow/nn/stage/stage_plan.hpp>
#include <ipuflow/plan/lowered.hpp>

#include <cstddef>
#include <limits>
#include <string_view>

namespace ipuflow::nn::impl {

/// If layers share the numbers of a step: then these are stored as all of them read it.
enum class shared_weights : unsigned char { no, as_the_model, by_columns };

/// A stage outside of its types.
struct stage_on_tiles {
  plan_view plan{};
  light_span<const lowering_code* const> code{};   // of each step
  light_span<const shared_weights> shared{};       // of each step; none: nothing is shared
  light_span<const ipu::element_type> types{};     // of each slot
  light_span<const std::size_t> arguments{};       // of each slot: the run's argument that it holds, or `no_argument`
  light_span<const std::string_view> blocks{};     // names of the pipeline's
  std::size_t first_block = 0;
  bool is_last = false;

  shared_weights shared_in(std::size_t step) const { return shared.empty() ? shared_weights::no : shared[step]; }
};

/// The way in which a slot and its gradient stand.
struct slot_layout {
  ipu::matrix_order order{};
  ipu::mapping map{};  // none: `spread`
};

/// The layouts of all slots, and the cut of each step that is a product.
template <class = void>
class basic_stage_panels {
 public:
  basic_stage_panels(const ipu::graph& g, const stage_on_tiles& stage, const plan::lowering_options& o)
      : g_{g}, stage_{stage}, o_{o}, cuts_(stage.plan.steps.size()), slots_(stage.plan.slots.size()), group_(stage.plan.slots.size()) {
    if (o.samples == 0) throw_if(nn_fault{nn_wrong::no_samples, 0, 1});
    cut_products();
    choose_slots();
  }

  const ipu::product_cut& cut(std::size_t step) const { return cuts_[step]; }
  const slot_layout& operator[](std::size_t slot) const { return slots_[group_[slot]]; }

 private:
  using way = panel_use::way;

  light_span<const step_plan> steps() const { return stage_.plan.steps; }
  const panel_use& use(std::size_t step) const { return stage_.code[step]->panels; }
  bool only_looks(const step_plan& step) const { return step.facts.same_memory && step.facts.same_gradient; }
  std::size_t rows(std::size_t step) const { return o_.samples * use(step).rows; }
  ipu::product_sizes sizes(std::size_t step) const { return {rows(step), use(step).inputs, use(step).outputs, ipu::summed_as(use(step).type, o_.where)}; }

  bool may_cut(std::size_t step) const {
    const bool owns = stage_.shared_in(step) == shared_weights::no && stage_.code[step]->place == nullptr;
    const std::size_t most = ipu::panel_columns * ipu::tiles_for(g_, o_.where);  // a panel of each has its sums on a tile
    return use(step).how == way::multiplies && owns && use(step).outputs <= most;
  }

  ipu::product_use passes(std::size_t step) const {
    if (!o_.training) return {};
    return {o_.recomputes ? 2u : 1u, steps()[step].computes_inputs ? 1u : 0u, 1};
  }

  ipu::product_cut planned(std::size_t step, std::size_t row_parts, std::size_t most_turns) const {
    return ipu::plan_product(g_.chip(), sizes(step), row_parts, passes(step), ipu::tiles_for(g_, o_.where), ipu::memory_for(g_, o_.where), most_turns);
  }

  /// Products of as many rows get the parts that are best for all of them together. Parts are whole samples or parts of one.
  void cut_products() {
    light_vector<std::size_t> left;
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
      if (may_cut(i)) left.push_back(i);
    }
    while (!left.empty()) {
      const std::size_t count = rows(left[0]);
      light_vector<std::size_t> same;
      for (const std::size_t i : left) {
        if (rows(i) == count) same.push_back(i);
      }
      erase_if(left, [&](std::size_t i) { return rows(i) == count; });
      chosen best = cut_together(same, count, 1);
      for (std::size_t turns = 2; best.unfit > 0 && turns <= ipu::most_turns_of_rows; turns *= 2) {
        chosen in_turns = cut_together(same, count, turns);
        if (in_turns.unfit < best.unfit) best = std::move(in_turns);
      }
      for (std::size_t n = 0; n < best.cuts.size(); ++n) cuts_[same[n]] = best.cuts[n];
    }
  }

  struct chosen {
    std::size_t unfit = std::numeric_limits<std::size_t>::max();
    cycles estimate{};
    light_vector<ipu::product_cut> cuts{};
  };

  chosen cut_together(light_span<const std::size_t> products, std::size_t count, std::size_t turns) const {
    chosen best;
    const std::size_t most = algorithms::min<std::size_t>(count, 64, ipu::tiles_for(g_, o_.where));
    for (std::size_t parts = 1; parts <= most; ++parts) {
      if (parts % o_.samples != 0 && o_.samples % parts != 0) continue;
      chosen tried{.unfit = 0};
      for (std::size_t n = 0; n < products.size(); ++n) {
        std::size_t like = 0;  // the first product of this size and use
        while (!(sizes(products[like]) == sizes(products[n]) && passes(products[like]).to_inputs == passes(products[n]).to_inputs)) ++like;
        tried.cuts.push_back(like < n ? tried.cuts[like] : planned(products[n], parts, turns));
        if (tried.cuts.back().fits())
          tried.estimate += tried.cuts.back().estimate;
        else
          ++tried.unfit;
      }
      const bool better = tried.unfit < best.unfit || (tried.unfit == best.unfit && tried.estimate < best.estimate);
      if (better) best = std::move(tried);
    }
    return best;
  }

  /// Slots that share memory, of values or of gradients, stand alike.
  void join(std::size_t a, std::size_t b) {
    const std::size_t from = group_[a], to = group_[b];
    for (std::size_t& g : group_) g = g == from ? to : g;
  }

  std::size_t row_parts_of(std::size_t count) const {
    for (const ipu::product_cut& c : cuts_) {
      if (c.fits() && c.sizes.rows == count) return c.all_row_parts();
    }
    return 0;
  }

  /// The shape of a slot as a step sees it; none if the step wants it row by row.
  ipu::matrix_order seen(std::size_t step, bool as_output) const {
    const panel_use& u = use(step);
    const std::size_t parts = row_parts_of(rows(step));
    if (u.how == way::none || parts == 0 || (u.how == way::multiplies && !cuts_[step].fits())) return {};
    return ipu::in_panels(rows(step), as_output ? u.outputs : u.inputs, parts);
  }

  void choose_slots() {
    const std::size_t count = slots_.size();
    for (std::size_t i = 0; i < count; ++i) group_[i] = i;
    for (std::size_t i = 0; i < count; ++i) join(i, stage_.plan.slots[i].root), join(i, stage_.plan.slots[i].gradient_root);
    light_vector<bool> allowed(count), wanted(count, false);
    light_vector<ipu::matrix_order> orders(count);
    for (std::size_t i = 0; i < count; ++i) allowed[i] = stage_.plan.slots[i].real;
    for (std::size_t i = 0; i < stage_.plan.entering; ++i) allowed[group_[i]] = false;
    for (const std::size_t out : stage_.plan.leaving) allowed[group_[out]] = false;
    each_value([&](std::size_t step, std::size_t slot, bool as_output) {
      const std::size_t g = group_[slot];
      const ipu::matrix_order order = seen(step, as_output);
      if (orders[g].is_plain()) orders[g] = order;
      allowed[g] = allowed[g] && !order.is_plain() && order == orders[g];
    });
    each_value([&](std::size_t step, std::size_t slot, bool) {
      if (use(step).how == way::multiplies && allowed[group_[slot]]) wanted[group_[slot]] = true;
    });
    for (bool grows = true; grows;) {
      grows = false;
      for (std::size_t s = 0; s < steps().size(); ++s) {
        bool any = false;
        each_value_of(s, [&](std::size_t slot, bool) { any = any || wanted[group_[slot]]; });
        each_value_of(s, [&](std::size_t slot, bool) {
          if (!any || use(s).how == way::none || !allowed[group_[slot]] || wanted[group_[slot]]) return;
          wanted[group_[slot]] = grows = true;
        });
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (group_[i] == i && wanted[i]) slots_[i].order = orders[i];
    }
    map_slots();
    map_images();
  }

  /// A product leaves its results where it makes them, another layer where it finds the first of what it reads. What is made in turns goes
  /// to all tiles: each would have a piece of every turn, and layers want one piece.
  void map_slots() {
    for (std::size_t s = 0; s < steps().size(); ++s) {
      for (const std::size_t out : steps()[s].out) {
        slot_layout& made = slots_[group_[out]];
        if (made.order.is_plain() || !made.map.empty()) continue;
        if (use(s).how == way::multiplies && cuts_[s].turns == 1) {
          const ipu::planned_product p = cuts_[s].of(ipu::product_pass::forward);
          made.map = ipu::where_made(p.shape, p.plan, o_.where.first_tile);
        }
        for (const std::size_t in : steps()[s].in) {
          const slot_layout& read = slots_[group_[in]];
          if (made.map.empty() && read.order == made.order) made.map = read.map;
        }
        if (made.map.empty()) made.map = evenly(made.order);
      }
    }
  }

  /// Images that pixels are picked of have whole picks on each tile, and so have all values as large as they are, which then stand alike;
  /// not where that would leave some tiles with twice as much as the mean.
  void map_images() {
    for (std::size_t s = 0; s < steps().size(); ++s) {
      if (use(s).together == 0) continue;
      const std::size_t elements = stage_.plan.slots[steps()[s].in[0]].elements;
      for (std::size_t i = 0; i < slots_.size(); ++i) {
        slot_layout& made = slots_[group_[i]];
        if (stage_.plan.slots[i].elements != elements || !made.order.is_plain() || !made.map.empty()) continue;
        const std::size_t together = ipu::least_common_multiple(ipu::vector_width(stage_.types[i]), use(s).together);
        const std::size_t tiles = ipu::tiles_for(g_, o_.where);
        const std::size_t most = ipu::divided_up(ipu::divided_up(elements * o_.samples, together), tiles) * together;
        if (most * tiles > 2 * elements * o_.samples) continue;
        made.map = spread(g_, stage_.types[i], elements * o_.samples, o_.where, use(s).together);
      }
    }
  }

 public:
  /// A matrix in panels over all tiles of the stage, in vectors of sixteen.
  ipu::mapping evenly(const ipu::matrix_order& order) const {
    return ipu::linear(order.elements(), ipu::tiles_for(g_, o_.where), o_.where.first_tile, ipu::panel_columns);
  }

 private:
  template <class Visit>
  void each_value_of(std::size_t step, Visit visit) const {
    if (only_looks(steps()[step])) return;
    for (const std::size_t in : steps()[step].in) {
      if (stage_.plan.slots[in].real) visit(in, false);
    }
    for (const std::size_t out : steps()[step].out) {
      if (stage_.plan.slots[out].real) visit(out, true);
    }
  }
  /// Calls `visit(step, slot, as output)` for all real values of all steps that compute.
  template <class Visit>
  void each_value(Visit visit) const {
    for (std::size_t s = 0; s < steps().size(); ++s)
      each_value_of(s, [&](std::size_t slot, bool as_output) { visit(s, slot, as_output); });
  }

  const ipu::graph& g_;
  stage_on_tiles stage_;
  const plan::lowering_options& o_;
  light_vector<ipu::product_cut> cuts_;
  light_vector<slot_layout> slots_;  // of each group
  light_vector<std::size_t> group_;  // of each slot: one of those that stand alike
};
using stage_panels = basic_stage_panels<>;

}  // namespace ipuflow::nn::impl
