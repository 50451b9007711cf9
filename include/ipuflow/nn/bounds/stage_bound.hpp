// SPDX-License-Identifier: BSL-1.0
// The bound of a stage on its chip: its layers, its values by when they live, its trained tensors. A stage with a layer that has no bound
// says which.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/nn/bounds/stage_layers.hpp>
#include <ipuflow/nn/stage/plan_of_stage.hpp>
#include <ipuflow/nn/stage/ties.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace ipuflow::nn {

/// The most that a stage takes of the fullest tile, in bytes.
struct stage_bound {
  type_text unknown{};  ///< the layer that has no bound, if there is one

  std::uint64_t weights = 0;      ///< and running state
  std::uint64_t gradients = 0;
  std::uint64_t parameters = 0;   ///< numbers of trained tensors on a tile
  std::size_t tensors = 0;        ///< that are trained
  std::uint64_t kept = 0;         ///< values of a micro-batch that its backward pass reads
  std::uint64_t entering = 0;     ///< what enters
  std::uint64_t stored = 0;       ///< checkpoints
  std::uint64_t leaving = 0;      ///< what leaves
  std::uint64_t forward = 0;      ///< most that lives in a forward pass
  std::uint64_t backward = 0;     ///< most that lives in a backward pass, without what waits for it
  std::uint64_t largest = 0;      ///< of what lives for a time
  std::uint64_t exchange_code = 0;
  std::uint64_t exchange_forward = 0;  ///< part of it
  std::uint64_t vertex_state = 0;
  std::uint64_t steps = 0;
  bounded_vector<code_bound, 96> code{};
};

namespace impl {

template <std::size_t Slots, std::size_t Steps>
class stage_account {
 public:
  constexpr stage_account(const stage_plan<Slots, Steps>& plan, const bound_question& q, const std::array<layer_bound, Steps>& layers,
                          const std::array<ipu::element_type, Slots>& types, const std::array<std::size_t, Slots>& elements)
      : plan_{plan}, q_{q}, layers_{layers}, types_{types}, elements_{elements} {}

  constexpr stage_bound take(ipu::product_memo& memo) {
    bound_cuts(memo);
    bound_slots();
    add_tensors();
    add_layers();
    add_moments();
    return made_;
  }

 private:
  /// Products with the same rows are cut together.
  constexpr void bound_cuts(ipu::product_memo& memo) {
    std::array<bool, Steps> done{};
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      if (!layers_[s].is_product() || done[s]) continue;
      std::array<ipu::bounded_product, Steps> all{};
      std::array<std::size_t, Steps> of{};
      std::size_t count = 0;
      for (std::size_t t = s; t < plan_.steps.size(); ++t) {
        if (!layers_[t].is_product() || layers_[t].product.rows != layers_[s].product.rows) continue;
        all[count] = {layers_[t].product, {q_.recomputes ? 2u : 1u, plan_.steps[t].computes_inputs ? 1u : 0u, 1}};
        all[count].sizes.rows *= q_.samples;
        of[count++] = t, done[t] = true;
      }
      std::array<ipu::product_bound, Steps> found{};
      memo.bound(ipu::product_question{q_.chip, q_.samples, q_.memory()}, all.data(), count, found.data());
      for (std::size_t i = 0; i < count; ++i) products_[of[i]] = found[i];
    }
  }

  /// A value is spread evenly, or stands where a product makes it, and what layers make of that stands there, too.
  constexpr void bound_slots() {
    for (std::size_t i = 0; i < plan_.slots.size(); ++i) value_[i] = q_.spread(types_[i], elements_[i]);
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      if (layers_[s].is_product()) raise_like(plan_.steps[s].out[0], products_[s].made);
      if (layers_[s].is_product()) raise_like(plan_.steps[s].in[0], products_[s].slopes);
      if (layers_[s].picked_together == 0) continue;
      const std::size_t in = plan_.steps[s].in[0];
      raise_like(in, algorithms::min(elements_[in] * q_.samples, 2 * ipu::divided_up(elements_[in] * q_.samples, q_.chip.tiles)));
    }
    for (const std::uint64_t v : value_) made_.largest = algorithms::max(made_.largest, v);
  }
  constexpr void raise_like(std::size_t slot, std::uint64_t elements) {
    for (std::size_t i = 0; i < plan_.slots.size(); ++i) {
      if (elements_[i] == elements_[slot]) value_[i] = algorithms::max(value_[i], elements * size_of(types_[i]));
    }
  }

  constexpr void add_tensors() {
    const auto add = [&](std::uint64_t numbers) {
      made_.weights += numbers * size_of(q_.parameters), made_.gradients += numbers * size_of(q_.accumulators);
      made_.parameters += numbers, ++made_.tensors;
    };
    const auto spread = [&](std::size_t count) { return ipu::spread_bound(q_.parameters, count, q_.chip.tiles) / size_of(q_.parameters); };
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const layer_facts& f = plan_.steps[s].facts;
      const std::uint64_t apart = layers_[s].is_product() ? products_[s].weights : layers_[s].weights;
      if (f.parameters > f.biases) add(algorithms::max(apart, spread(f.parameters - f.biases)));
      if (f.biases > 0) add(spread(f.biases));
      if (f.state > 0) made_.weights += ipu::spread_bound(ipu::element_type::f32, f.state, q_.chip.tiles);
    }
  }

  constexpr void add_layers() {
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      layer_bound& l = layers_[s];
      if (l.is_product()) {
        const std::uint64_t more = l.forward.temporary + products_[s].passes.temporary;
        for (pass_bound* p : {&l.forward, &l.to_inputs, &l.to_weights}) {
          p->temporary = algorithms::max(p->temporary, more), p->exchange += exchange_of_product * products_[s].passes.pieces;
          p->state *= products_[s].turns, p->steps *= products_[s].turns;
        }
        l.to_weights.temporary += products_[s].weights * 4;
        const bool in_panels = may_be_in_panels(plan_.slots[plan_.steps[s].out[0]].root);
        if (in_panels && plan_.steps[s].facts.biases > 0) l.to_weights.temporary = algorithms::max(l.to_weights.temporary, sums_of_panel * products_[s].panel);
      }
      for (const code_bound& c : l.code) add_code(c);
      add(l.forward);
      made_.exchange_forward += l.forward.exchange;
      notes_ += l.notes;
      if (plan_.steps[s].computes_inputs) add(l.to_inputs);
      if (plan_.steps[s].facts.parameters > 0) add(l.to_weights);
    }
  }
  constexpr void add(const pass_bound& p) {
    made_.exchange_code += p.exchange, made_.vertex_state += p.state, made_.steps += p.steps;
    made_.largest = algorithms::max(made_.largest, p.temporary);
  }
  constexpr void add_code(const code_bound& more) {
    for (const code_bound& known : made_.code) {
      if (known.name == more.name) return;
    }
    made_.code.push_back(more);
  }

  constexpr bool is_needed(std::size_t root) const { return plan_.slots[root].needed_by_inputs || plan_.slots[root].needed_by_weights; }
  constexpr bool leaves(std::size_t slot, bool gradient) const {
    for (const std::size_t out : plan_.leaving) {
      if ((gradient ? plan_.slots[out].gradient_root : plan_.slots[out].root) == slot) return true;
    }
    return false;
  }

  constexpr bool may_be_in_panels(std::size_t root) const {
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      for (const std::size_t in : plan_.steps[s].in) {
        if (layers_[s].in_rows && plan_.slots[in].root == root) return false;
      }
    }
    return !leaves(root, false);
  }

  /// Steps between which a value, or a gradient, lives; what enters and leaves is there all the time.
  struct range {
    std::size_t first = 0, last = 0;
    bool is_used = false;

    constexpr void use(std::size_t at) {
      first = is_used ? algorithms::min(first, at) : at, last = is_used ? algorithms::max(last, at) : at;
      is_used = true;
    }
    constexpr bool has(std::size_t at) const { return is_used && first <= at && at <= last; }
  };

  constexpr void add_moments() {
    std::array<range, Slots> values{}, gradients{};
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      for (const std::size_t in : plan_.steps[s].in) values[plan_.slots[in].root].use(s), gradients[plan_.slots[in].gradient_root].use(s);
      for (const std::size_t out : plan_.steps[s].out) values[plan_.slots[out].root].use(s), gradients[plan_.slots[out].gradient_root].use(s);
    }
    std::uint64_t ends = notes_;
    made_.kept += notes_;
    for (std::size_t i = 0; i < plan_.slots.size(); ++i) {
      if (plan_.slots[i].root == i && is_needed(i)) made_.kept += value_[i];
      if (i < plan_.entering) made_.entering += value_[i];
      if (plan_.slots[i].root == i && plan_.slots[i].where == area::stored) made_.stored += value_[i];
      const bool has_gradient = plan_.slots[i].has_gradient && plan_.slots[i].gradient_root == i;
      const bool at_end = i < plan_.entering || leaves(i, false), gradient_at_end = i < plan_.entering || leaves(i, true);
      if (plan_.slots[i].root == i && at_end) ends += value_[i];
      if (has_gradient && gradient_at_end) ends += value_[i];
      if (leaves(i, false)) made_.leaving += value_[i];
      if (plan_.slots[i].root != i || at_end) values[i].is_used = false;
      if (!has_gradient || gradient_at_end) gradients[i].is_used = false;
    }
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      std::uint64_t ahead = 0, back = 0, more = 0;
      for (std::size_t i = 0; i < plan_.slots.size(); ++i) {
        const bool kept = values[i].is_used && is_needed(i);
        if (values[i].has(s) || (kept && values[i].first <= s)) ahead += value_[i];
        if (kept && values[i].first <= s) back += value_[i];
        if (gradients[i].has(s)) back += value_[i];
      }
      for (std::size_t i = 0; i < plan_.steps[s].in.size(); ++i) {
        if (plan_.steps[s].to[i] == contribution::added) more += value_[plan_.steps[s].in[i]];
      }
      const std::uint64_t in = plan_.steps[s].computes_inputs ? layers_[s].to_inputs.temporary : 0;
      const std::uint64_t of = plan_.steps[s].facts.parameters > 0 ? layers_[s].to_weights.temporary : 0;
      made_.forward = algorithms::max(made_.forward, ends + ahead + layers_[s].forward.temporary);
      made_.backward = algorithms::max(made_.backward, ends + back + more + algorithms::max(in, of));
    }
  }

  static constexpr std::uint64_t sums_of_panel = 16 * 4;  // of its columns, in floats: one tile adds up those of all rows
  static constexpr std::uint64_t exchange_of_product = 16;  // of a piece, there and back [capped]

  const stage_plan<Slots, Steps>& plan_;
  const bound_question& q_;
  std::array<layer_bound, Steps> layers_;
  const std::array<ipu::element_type, Slots>& types_;
  const std::array<std::size_t, Slots>& elements_;
  std::array<ipu::product_bound, Steps> products_{};
  std::array<std::uint64_t, Slots> value_{};
  std::uint64_t notes_ = 0;
  stage_bound made_{};
};

/// True if the weights of a step begin there among those of the stage.
template <class P, std::size_t Stage>
constexpr bool is_of(std::size_t step, std::size_t first) {
  const step_plan& s = planned<P, Stage, float>.steps[step];
  return s.facts.parameters > 0 && s.parameters_begin == first;
}

/// The steps of a stage with weights that others share: stored by columns if one of these looks up rows of them.
template <class P, std::size_t Stage, std::size_t Steps>
constexpr std::array<shared_step, Steps> shared_steps(const bound_question& q) {
  std::array<shared_step, Steps> made{};
  const auto looked_up = [&](std::size_t stage, std::size_t first) {
    return [&]<std::size_t... S>(std::index_sequence<S...>) {
      const auto in = [&]<std::size_t At>(std::integral_constant<std::size_t, At>) {
        std::size_t s = 0;
        while (!is_of<P, At>(s, first)) ++s;
        return bound_tables<steps_of_stage<P, At>>::is_table(q, s);
      };
      return ((stage == S && in(std::integral_constant<std::size_t, S>{})) || ...);
    }(std::make_index_sequence<P::stage_count>{});
  };
  for (const tie& t : ties_of<P>) {
    bool by_columns = looked_up(t.table_stage, t.table_first);
    for (const tie& other : ties_of<P>) {
      if (other.table_stage == t.table_stage && other.table_first == t.table_first)
        by_columns = by_columns || looked_up(other.copy_stage, other.copy_first);
    }
    for (std::size_t s = 0; s < Steps; ++s) {
      const bool table = t.table_stage == Stage && is_of<P, Stage>(s, t.table_first);
      if (table || (t.copy_stage == Stage && is_of<P, Stage>(s, t.copy_first))) made[s] = {true, by_columns};
    }
  }
  return made;
}

}  // namespace impl

/// Of a stage of a pipeline. Stages share what is found of their products.
template <class P, std::size_t Stage>
[[nodiscard]] constexpr stage_bound bound_of_stage(const bound_question& q, ipu::product_memo& memo) {
  using tables = impl::bound_tables<impl::steps_of_stage<P, Stage>>;
  const auto layers = tables::layers(q, planned<P, Stage, float>, impl::shared_steps<P, Stage, tables::steps>(q));
  const type_text unknown = tables::unknown(layers);
  if (!unknown.empty()) return {.unknown = unknown};
  return impl::stage_account<tables::slots, tables::steps>{planned<P, Stage, float>, q, layers, tables::types, tables::elements}.take(memo);
}
template <class P, std::size_t Stage>
[[nodiscard]] constexpr stage_bound bound_of_stage(const bound_question& q) {
  ipu::product_memo memo;
  return bound_of_stage<P, Stage>(q, memo);
}

}  // namespace ipuflow::nn
