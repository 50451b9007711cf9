// SPDX-License-Identifier: BSL-1.0
// A pipeline of types, cut where a partition of its blocks is cut: `in_stages<balance(times, {.stages = 4})>(network)` has the
// same blocks in four stages, each on an IPU of its own.
#pragma once

#include <ipuflow/graph/regroup.hpp>
#include <ipuflow/plan/partition/balance.hpp>

#include <cstddef>
#include <tuple>
#include <utility>

namespace ipuflow::plan {

namespace impl {

/// A partition is of the blocks of a pipeline, and these are a chain.
template <std::size_t Blocks, class Where>
constexpr balance_fault verify_cuts(const chain_partition<Blocks>& p, const Where& where) {
  const std::size_t blocks = p.stages.empty() ? 0 : p.stages.back().end;
  if (blocks != Where::blocks) return {balance_wrong::other_pipeline, blocks, Where::blocks};
  for (std::size_t stage = 0; stage < where.stages(); ++stage) {
    if (where.branches(stage) > 1) return {balance_wrong::has_branches, 0, 0, {.stage = stage}};
  }
  return {};
}

template <class Block, std::size_t First, std::size_t... I>
constexpr auto stage_of(std::index_sequence<I...>) {
  return stage<std::tuple_element_t<First + I, Block>::name...>();
}

}  // namespace impl

/// The same blocks in the stages of a partition.
template <auto Partition, class Start, auto Where, class... Block>
[[nodiscard]] constexpr auto in_stages(pipeline_t<Start, Where, Block...> p) {
  constexpr balance_fault found = impl::verify_cuts(Partition, Where);
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  if constexpr (found) {
    return p;
  } else {
    return [&]<std::size_t... Stage>(std::index_sequence<Stage...>) {
      return regroup(std::move(p), impl::stage_of<std::tuple<Block...>, Partition.stages[Stage].first>(
                                       std::make_index_sequence<Partition.stages[Stage].end - Partition.stages[Stage].first>{})...);
    }(std::make_index_sequence<Partition.stages.size()>{});
  }
}

}  // namespace ipuflow::plan
