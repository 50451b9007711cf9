// SPDX-License-Identifier: BSL-1.0
// One stage of a pipeline of layers, or a branch of one, as programs on tiles: the counterpart of stage_program, from
// the same plan. Types end here: what is lowered is a table of the stage.
#pragma once

#include <ipuflow/nn/lowerings/copy_lowering.hpp>
#include <ipuflow/nn/stage/stage_arguments.hpp>
#include <ipuflow/nn/stage/stage_lowering.hpp>

#include <array>
#include <cstddef>

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

template <class P>
inline constexpr auto block_names = P::names();

}  // namespace impl

template <class P, std::size_t Stage, std::size_t Branch = every_branch>
class tile_stage {
  using steps = impl::steps_of_stage<P, Stage, Branch>;
  using tables = impl::tables_on_tiles<steps>;
  static_assert(accept<impl::fault_in_steps<steps>>());

 public:
  static constexpr auto plan = planned<P, Stage, float, Branch>;
  static_assert(accept<impl::verify_lowerings<P, impl::step_types<steps>>(plan)>());

  static constexpr impl::stage_on_tiles table{.plan = impl::view_of(plan),
                                              .code = tables::code,
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
