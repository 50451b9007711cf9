// SPDX-License-Identifier: BSL-1.0
// The ties of a pipeline: weights that several layers share, each with a copy on its stage. A layer says the name of the one that has
// them (tied.hpp); here both are found among all stages, and their shapes compared.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/nn/nn_fault.hpp>
#include <ipuflow/nn/stage/plan_of_stage.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// A step that has weights, and its stage.
struct weights_at {
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  std::size_t stage = nowhere;
  std::size_t step = nowhere;

  constexpr explicit operator bool() const { return stage != nowhere; }
};

}  // namespace impl

/// All stages of a pipeline outside of its types.
struct pipeline_plan {
  light_span<const plan_view> stages{};
  light_span<const block_origin> blocks{};

  [[nodiscard]] constexpr const impl::step_plan& at(impl::weights_at where) const { return stages[where.stage].steps[where.step]; }
  [[nodiscard]] constexpr std::string_view block_of(const impl::step_plan& step) const {
    return step.block < blocks.size() ? std::string_view{blocks[step.block].name} : std::string_view{};
  }
  /// Calls `visit(impl::weights_at)` for each step of a block.
  template <class Visit>
  constexpr void each_step(Visit visit) const {
    for (std::size_t s = 0; s < stages.size(); ++s) {
      for (std::size_t i = 0; i < stages[s].steps.size(); ++i) {
        if (stages[s].steps[i].block < blocks.size()) visit(impl::weights_at{s, i});
      }
    }
  }
};

namespace impl {

template <class P>
inline constexpr auto plans_of = []<std::size_t... S>(std::index_sequence<S...>) {
  return std::array<plan_view, sizeof...(S)>{view_of(planned<P, S, float>)...};
}(std::make_index_sequence<P::stage_count>{});

template <class P>
inline constexpr auto origins_of = []<std::size_t... B>(std::index_sequence<B...>) {
  return std::array<block_origin, sizeof...(B)>{P::origin_of(B)...};
}(std::make_index_sequence<P::block_count>{});

}  // namespace impl

template <class P>
inline constexpr pipeline_plan plan_of_pipeline{impl::plans_of<P>, impl::origins_of<P>};

namespace impl {

/// "embed[0]": a layer as tied layers name it.
[[nodiscard]] constexpr bool is_named(const pipeline_plan& all, const step_plan& step, std::string_view name) {
  const std::string_view block = all.block_of(step);
  if (!name.starts_with(block)) return false;
  fixed_string<90> text{block};
  text += "[";
  text += step.whole_op;
  text += "]";
  return text.view() == name;
}

/// The layer that a tied one names, if there is one.
[[nodiscard]] constexpr weights_at table_of(const pipeline_plan& all, const step_plan& tied) {
  weights_at found;
  all.each_step([&](weights_at where) {
    if (!found && is_named(all, all.at(where), tied.facts.tied_to)) found = where;
  });
  return found;
}

[[nodiscard]] constexpr std::size_t weights_in(const layer_facts& known) { return known.parameters - known.biases; }

/// "[20, 24]"
constexpr void add_shape(fixed_string<160>& text, const layer_facts& known) {
  text += "[";
  for (std::size_t i = 0; i < known.weight_extents.size(); ++i) {
    if (i > 0) text += ", ";
    text += known.weight_extents[i];
  }
  if (known.weight_extents.empty()) text += weights_in(known);
  text += "]";
}

/// The fault of one tied layer.
[[nodiscard]] constexpr nn_fault verify_tie(const pipeline_plan& all, const step_plan& tied) {
  const auto wrong = [&](nn_wrong kind) {
    nn_fault made{.kind = kind};
    made.where.block = fixed_string<60>{all.block_of(tied)};
    made.where.op = tied.whole_op;
    made.where.type += tied.facts.tied_to;
    return made;
  };
  const weights_at table = table_of(all, tied);
  if (!table) return wrong(nn_wrong::tied_to_nothing);
  const layer_facts& known = all.at(table).facts;
  if (!known.tied_to.empty()) return wrong(nn_wrong::tied_in_turn);
  if (weights_in(known) > 0 && known.weight_extents == tied.facts.weight_extents && weights_in(known) == weights_in(tied.facts)) return {};
  nn_fault differ = wrong(nn_wrong::tied_shapes_differ);
  add_shape(differ.where.call, tied.facts);
  differ.where.call += " and ";
  add_shape(differ.where.call, known);
  return differ;
}

template <class P>
inline constexpr std::size_t tied_layers_of = [] {
  std::size_t count = 0;
  constexpr const pipeline_plan& all = plan_of_pipeline<P>;
  all.each_step([&](weights_at where) { if (!all.at(where).facts.tied_to.empty()) ++count; });
  return count;
}();

}  // namespace impl

/// Weights of a layer, the table, and a copy of them in another one: where they begin among the parameters of their stages.
struct tie {
  std::size_t table_stage = 0;
  std::size_t table_first = 0;
  std::size_t copy_stage = 0;
  std::size_t copy_first = 0;
  std::size_t count = 0;

  friend constexpr bool operator==(const tie&, const tie&) = default;
};

/// The first tied layer whose table is not there, or has another shape.
template <class P>
[[nodiscard]] constexpr nn_fault verify_ties() {
  nn_fault found;
  if constexpr (impl::tied_layers_of<P> > 0) {
    constexpr const pipeline_plan& all = plan_of_pipeline<P>;
    all.each_step([&](impl::weights_at where) {
      if (!found && !all.at(where).facts.tied_to.empty()) found = impl::verify_tie(all, all.at(where));
    });
  }
  return found;
}

/// All ties of a pipeline, in the order of the copies.
template <class P>
inline constexpr auto ties_of = [] {
  static_assert(accept<verify_ties<P>()>());
  bounded_vector<tie, impl::tied_layers_of<P> + 1> made;
  if constexpr (impl::tied_layers_of<P> > 0) {
    constexpr const pipeline_plan& all = plan_of_pipeline<P>;
    all.each_step([&](impl::weights_at where) {
      const impl::step_plan& tied = all.at(where);
      if (tied.facts.tied_to.empty()) return;
      const impl::weights_at table = impl::table_of(all, tied);
      if (!table) return;
      made.push_back({table.stage, all.at(table).parameters_begin, where.stage, tied.parameters_begin, impl::weights_in(tied.facts)});
    });
  }
  return made;
}();

/// The trained numbers of a pipeline; those that several layers share count once.
template <class P>
[[nodiscard]] constexpr std::size_t parameter_count(const P&) {
  static_assert(accept<verify_ties<P>()>());
  std::size_t count = 0;
  for (const plan_view& stage : impl::plans_of<P>) count += stage.parameters;
  for (const tie& t : ties_of<P>) count -= t.count;
  return count;
}

}  // namespace ipuflow::nn
