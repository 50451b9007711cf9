// SPDX-License-Identifier: BSL-1.0
// The description of a dataflow program: what it is given, its blocks, and where they are placed. What is wrong with it
// is found where it is written, before any of its machinery is instantiated.
#pragma once

#include <ipuflow/graph/cut.hpp>
#include <ipuflow/graph/flow/run_stage.hpp>
#include <ipuflow/graph/flow/walk.hpp>
#include <ipuflow/graph/placement.hpp>

#include <boost/hana/at.hpp>
#include <boost/hana/integral_constant.hpp>
#include <boost/hana/type.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow {

template <fixed_string Name>
struct name_t {};

/// The key of a block: `mnist[name<"B2">]`.
template <fixed_string Name>
inline constexpr hana::type<name_t<Name>> name{};

namespace impl {

/// A map from the names of blocks to their positions, which compares them: a hana::map hashes all of them first.
template <class... Block>
struct name_positions {
  template <fixed_string Name>
    requires((Block::name.view() == Name.view()) || ...)
  constexpr auto operator[](hana::basic_type<name_t<Name>>) const {
    constexpr std::size_t position = [] {
      std::size_t before = 0;
      (void)((Block::name.view() != Name.view() && ++before) && ...);
      return before;
    }();
    return hana::size_c<position>;
  }
};

}  // namespace impl

/// Blocks on IPUs, and the flow of types between them. `Start` is the flow::point in front of the first block, with the
/// names of what a run is given once, `Where` the placement of the blocks. Made by `pipeline`, `single_stage`, `regroup` and `place`.
template <class Start, auto Where, class... Block>
struct pipeline_t {
  hana::tuple<Block...> blocks;

  static constexpr auto placement = Where;
  static constexpr std::size_t stage_count = Where.stages();
  static constexpr std::size_t block_count = sizeof...(Block);
  using start = typename flow::start_of<Start>::point;
  using arguments = typename flow::start_of<Start>::arguments;
  using ends = flow::trace_of<Start, Where, Block...>;

  /// The IPU of a stage; of its first branch, if it has several.
  [[nodiscard]] static constexpr std::size_t ipu_of(std::size_t stage) {
    throw_if(impl::verify_stage(Where, stage));
    return Where.ipu[Where.first_block(stage)];
  }

  /// The IPUs of a stage, one for each branch.
  [[nodiscard]] static constexpr ipu_list ipus_of(std::size_t stage) {
    throw_if(impl::verify_stage(Where, stage));
    ipu_list list;
    for (std::size_t b = Where.first_block(stage); b < block_count && Where.stage[b] == stage; ++b) {
      if (Where.starts_branch(b)) list.push_back(Where.ipu[b]);
    }
    return list;
  }

  /// From the name of a block to its position: `position_of[name<"B2">]`.
  static constexpr impl::name_positions<Block...> position_of{};

  /// A block by its name.
  template <fixed_string Name>
  constexpr decltype(auto) operator[](hana::basic_type<name_t<Name>> asked_for) const {
    constexpr bounded_vector<impl::listed_block, 1> asked{{{fixed_string<60>{Name.view()}}}, 1};
    constexpr graph_fault found = verify_known(names(), asked);
    [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
    if constexpr (found) {
      return impl::refused_part{};
    } else {
      return hana::at(blocks, position_of[asked_for]);
    }
  }

  [[nodiscard]] static constexpr auto names() {
    return bounded_vector<std::string_view, block_count>{{Block::name.view()...}, block_count};
  }

  /// The block that one is a part of, if it was cut: `regroup`.
  [[nodiscard]] static constexpr const block_origin& origin_of(std::size_t block) { return impl::origins<Block...>[block]; }

  /// Runs everything in place: the inputs, then the named values, in the order in which they are declared. Gives one
  /// value, a std::tuple of several, or nothing.
  template <class... X>
    requires(flow::message<typename flow::start_of<Start>::point>::template takes<X...>)
  constexpr auto operator()(X&&... x) const {
    return run_from<0>(std::forward<X>(x)...);
  }
  template <class... X>
  void operator()(X&&...) const = delete;  // ipuflow: a pipeline is called with all that it declares, inputs, then named values; give it those, of their types

 private:
  template <std::size_t Stage, class... X>
  constexpr auto run_from(X&&... x) const {
    auto out = ipuflow::call_stage<Stage>(*this, std::forward<X>(x)...);
    if constexpr (Stage + 1 < stage_count) {
      return std::apply([&](auto&... value) { return run_from<Stage + 1>(std::move(value)...); }, out);
    } else if constexpr (std::tuple_size_v<decltype(out)> == 1) {
      return std::get<0>(std::move(out));
    } else if constexpr (std::tuple_size_v<decltype(out)> > 1) {
      return out;
    }
  }
};

}  // namespace ipuflow
