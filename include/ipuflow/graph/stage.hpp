// SPDX-License-Identifier: BSL-1.0
// Blocks, and the stages that they are grouped into. A block is a name and its ops; a stage is blocks that follow each
// other on one IPU; concurrent stages are one stage with branches that each get the same arguments.
#pragma once

#include <ipuflow/graph/graph_fault.hpp>
#include <ipuflow/graph/op.hpp>

#include <boost/hana/tuple.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow {

namespace hana = boost::hana;

/// Where nobody said which IPU.
inline constexpr std::size_t unplaced = static_cast<std::size_t>(-1);

template <fixed_string Name, std::size_t Ipu, class... Op>
struct block_t {
  hana::tuple<Op...> ops;

  static constexpr auto name = Name;
  static constexpr std::size_t op_count = sizeof...(Op);

  template <std::size_t Index>
  constexpr block_t<Name, Index, Op...> ipu() && {
    return {std::move(ops)};
  }
};

/// A named part of a model, the unit that stages are made of.
template <fixed_string Name, class... Op>
constexpr block_t<Name, unplaced, std::decay_t<Op>...> block(Op&&... op) {
  return {hana::tuple<std::decay_t<Op>...>{std::forward<Op>(op)...}};
}

template <class T>
inline constexpr bool is_block = false;
template <fixed_string Name, std::size_t Ipu, class... Op>
inline constexpr bool is_block<block_t<Name, Ipu, Op...>> = true;

template <class T>
concept block_like = is_block<std::remove_cvref_t<T>>;

template <std::size_t Ipu, block_like... Block>
struct stage_t {
  hana::tuple<Block...> blocks;

  template <std::size_t Index>
  constexpr stage_t<Index, Block...> ipu() && {
    return {std::move(blocks)};
  }
};

/// Blocks that run one after another on one IPU.
template <block_like... Block>
constexpr stage_t<unplaced, std::decay_t<Block>...> stage(Block&&... block) {
  (void)accept<graph_fault{sizeof...(Block) == 0 ? graph_wrong::no_stages : graph_wrong::nothing}>();
  return {hana::tuple<std::decay_t<Block>...>{std::forward<Block>(block)...}};
}

/// A stage that names blocks which exist already: what `regroup` takes.
template <std::size_t Ipu, fixed_string... Name>
struct stage_of_names {
  template <std::size_t Index>
  constexpr stage_of_names<Index, Name...> ipu() const {
    return {};
  }
};
template <fixed_string... Name>
  requires(sizeof...(Name) > 0)
constexpr stage_of_names<unplaced, Name...> stage() {
  return {};
}

template <class... Stage>
struct concurrent_t {
  hana::tuple<Stage...> branches;
};

template <class T>
inline constexpr bool is_concurrent = false;
template <class... Stage>
inline constexpr bool is_concurrent<concurrent_t<Stage...>> = true;

/// Stages that work on the same sample at the same time; they count as one.
template <class... Stage>
constexpr concurrent_t<std::decay_t<Stage>...> concurrent(Stage&&... branch) {
  constexpr bool nested = (is_concurrent<std::decay_t<Stage>> || ...);
  (void)accept<graph_fault{nested ? graph_wrong::nested_concurrency : graph_wrong::nothing}>();
  return {hana::tuple<std::decay_t<Stage>...>{std::forward<Stage>(branch)...}};
}

}  // namespace ipuflow
