// SPDX-License-Identifier: BSL-1.0
// One stage of a pipeline of layers, or a branch of one, as programs on tiles: the counterpart of stage_program, from
// the same plan. Types end here: what is lowered is a table of the stage.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/nn/lowerings/copy_lowering.hpp>
#include <ipuflow/nn/stage/stage_arguments.hpp>
#include <ipuflow/nn/stage/stage_lowering.hpp>
#include <ipuflow/nn/stage/ties.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace ipuflow::nn {

namespace impl {

template <class Type>
inline constexpr ipu::element_type type_on_tiles = ipu::element_type_of<typename tiled<Type>::element>();

/// The types of a stage's steps and slots as arrays.
template <class Steps>
struct tables_on_tiles;
template <class... Slot, class... Layer, class... In, class... Out, class... Reads, class... Makes, std::size_t... Block, std::size_t... Op,
          std::size_t Entering, class Leaving>
struct tables_on_tiles<
    stage_steps<walk::list<Slot...>, walk::list<walk::layer_step<Layer, In, Out, Reads, Makes, Block, Op>...>, Entering, Leaving>> {
  static constexpr std::array<const lowering_code*, sizeof...(Layer)> code{&lowering_code_of<Layer, Reads, Makes>...};
  static constexpr std::array<ipu::element_type, sizeof...(Slot)> types{type_on_tiles<typename Slot::type>...};
};

/// The lowerings of all steps of all stages.
template <class P>
inline constexpr auto codes_of = []<std::size_t... S>(std::index_sequence<S...>) {
  return std::array<light_span<const lowering_code* const>, sizeof...(S)>{tables_on_tiles<steps_of_stage<P, S>>::code...};
}(std::make_index_sequence<P::stage_count>{});

/// If layers share these weights, and one of them wants them by columns: then all have them so.
template <class P>
constexpr shared_weights sharing_of(const step_plan& of) {
  constexpr const pipeline_plan& all = plan_of_pipeline<P>;
  const auto table_at = [&](const step_plan& step, weights_at where) {
    const weights_at table = step.facts.tied_to.empty() ? weights_at{} : table_of(all, step);
    return table ? table : where;
  };
  const auto at = [&](weights_at a, weights_at b) { return a.stage == b.stage && a.step == b.step; };
  weights_at mine{};
  all.each_step([&](weights_at where) {
    const step_plan& step = all.at(where);
    if (step.whole_block == of.whole_block && step.whole_op == of.whole_op && step.block == of.block) mine = table_at(step, where);
  });
  bool found = false;
  std::size_t sharing = 0;
  all.each_step([&](weights_at where) {
    if (!at(table_at(all.at(where), where), mine)) return;
    ++sharing;
    found = found || codes_of<P>[where.stage][where.step]->place != nullptr;
  });
  if (sharing < 2) return shared_weights::no;
  return found ? shared_weights::by_columns : shared_weights::as_the_model;
}

/// That of each step of a stage; none if the pipeline has no ties.
template <class P, std::size_t Stage, std::size_t Branch>
inline constexpr auto shared_in_stage = [] {
  constexpr const auto& plan = planned<P, Stage, float, Branch>;
  std::array<shared_weights, tied_layers_of<P> == 0 ? 0 : plan.steps.size()> made{};
  if constexpr (tied_layers_of<P> > 0) {
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (plan.steps[i].facts.parameters > 0) made[i] = sharing_of<P>(plan.steps[i]);
    }
  }
  return made;
}();

/// The first layer that shares weights stored by columns and reads rows.
template <class P, std::size_t Stage, std::size_t Branch>
constexpr nn_fault verify_shared() {
  if constexpr (tied_layers_of<P> > 0) {
    constexpr const auto& plan = planned<P, Stage, float, Branch>;
    constexpr const auto& code = tables_on_tiles<steps_of_stage<P, Stage, Branch>>::code;
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (shared_in_stage<P, Stage, Branch>[i] != shared_weights::by_columns || code[i]->reads_columns || code[i]->place != nullptr) continue;
      nn_fault found{.kind = nn_wrong::no_lowering, .where = place_of(plan.steps[i], block_names<P>, type_text{code[i]->type})};
      found.where.call = fixed_string<160>{"reads_by_columns(layer)"};
      return found;
    }
  }
  return {};
}

}  // namespace impl

template <class P, std::size_t Stage, std::size_t Branch = every_branch>
class tile_stage {
  using steps = impl::steps_of_stage<P, Stage, Branch>;
  using tables = impl::tables_on_tiles<steps>;
  static_assert(accept<impl::fault_in_steps<steps>>());

 public:
  static constexpr auto plan = planned<P, Stage, float, Branch>;
  static_assert(accept<impl::verify_lowerings<P, impl::step_types<steps>>(plan)>());
  static_assert(accept<impl::verify_shared<P, Stage, Branch>()>());

  static constexpr impl::stage_on_tiles table{.plan = impl::view_of(plan),
                                              .code = tables::code,
                                              .shared = impl::shared_in_stage<P, Stage, Branch>,
                                              .types = tables::types,
                                              .arguments = impl::argument_slots<P, Stage, Branch>,
                                              .blocks = impl::block_names<P>,
                                              .first_block = P::placement.first_block(Stage),
                                              .is_last = Stage + 1 == P::stage_count};

  tile_stage(ipu::graph& g, const plan::lowering_options& o) : lowering_{g, table, o} {}

  /// To be asked once.
  plan::lowered take() { return lowering_.take(); }

 private:
  impl::stage_lowering lowering_;
};

/// Stage `Stage` of a pipeline, or a branch of it, on the tiles that `o` says.
template <std::size_t Stage, std::size_t Branch = every_branch, class P>
plan::lowered lower_stage(const P&, ipu::graph& g, const plan::lowering_options& o) {
  return tile_stage<P, Stage, Branch>{g, o}.take();
}

}  // namespace ipuflow::nn
