// SPDX-License-Identifier: BSL-1.0
// The partition of a chain of blocks into stages in which the longest stage is as short as it can be, under the memory of
// each chip, with recomputation where that is what makes a stage fit. It is a constant where the blocks are.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/partition/balance_search.hpp>
#include <ipuflow/plan/partition/chain.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace ipuflow::plan {

/// A stage of a partition.
struct partition_stage {
  std::size_t first = 0;       ///< of its blocks
  std::size_t end = 0;         ///< behind its last block
  std::size_t load = 0;        ///< as the kind of load has it: the stage with the most is the bottleneck
  std::size_t time = 0;        ///< of its passes, with what it recomputes
  std::size_t recompute = 0;   ///< the part of it that is recomputation
  std::size_t bytes = 0;       ///< parameters and the stash
  std::size_t depth = 0;       ///< of the stash, in micro-batches

  friend constexpr bool operator==(const partition_stage&, const partition_stage&) = default;
};

/// A partition of a chain. With a number of blocks it never allocates and can be a template argument; without, it has
/// std::vectors.
template <std::size_t Blocks = 0>
struct chain_partition {
  template <class T>
  using list = std::conditional_t<Blocks == 0, light_vector<T>, bounded_vector<T, Blocks>>;

  std::size_t bottleneck = 0;          ///< the load of the longest stage
  std::size_t lower_bound = 0;         ///< no partition is shorter: the longest block, or the mean of all chips
  list<std::size_t> cuts{};            ///< the first blocks of all stages but the first
  list<partition_stage> stages{};
  list<std::size_t> recomputed{};      ///< blocks, in order

  friend bool operator==(const chain_partition&, const chain_partition&) = default;  // constexpr where that of its members is: not that of a checked vector
};

namespace impl {

/// The number of blocks of a type of chains; 0 if it is not known before the program runs.
template <class Chain>
inline constexpr std::size_t blocks_of = 0;
template <std::size_t Blocks>
inline constexpr std::size_t blocks_of<chain_block[Blocks]> = Blocks;
template <class Chain>
  requires requires { std::tuple_size<Chain>::value; }
inline constexpr std::size_t blocks_of<Chain> = std::tuple_size<Chain>::value;
template <class Chain>
  requires requires { typename std::integral_constant<std::size_t, Chain::capacity()>; }
inline constexpr std::size_t blocks_of<Chain> = Chain::capacity();

template <std::size_t Blocks>
constexpr chain_partition<Blocks> as_partition(const found_partition& found, const chain_costs& costs) {
  chain_partition<Blocks> p;
  p.bottleneck = found.bottleneck;
  p.lower_bound = found.lower_bound;
  std::size_t next = 0;
  for (std::size_t s = 0; s + 1 < found.begins.size(); ++s) {
    partition_stage stage{.first = found.begins[s], .end = found.begins[s + 1], .depth = costs.depth(s)};
    if (s > 0) p.cuts.push_back(stage.first);
    stage.bytes = costs.bytes(s, stage.first, stage.end);
    std::size_t again = 0;
    for (; next < found.recomputed.size() && found.recomputed[next] < stage.end; ++next) {
      again += costs.block(found.recomputed[next]).forward;
      stage.bytes -= stage.depth * costs.gain(found.recomputed[next]);
      p.recomputed.push_back(found.recomputed[next]);
    }
    stage.time = costs.time(s, costs.work(stage.first, stage.end) + again);
    stage.recompute = stage.time - costs.time(s, costs.work(stage.first, stage.end));
    stage.load = costs.load(s, stage.first, stage.end, stage.time);
    p.stages.push_back(stage);
  }
  return p;
}

}  // namespace impl

/// The first fault of a chain and its rules, and that of a chain that fits no partition.
template <class Depth = depth_of_1f1b>
[[nodiscard]] constexpr balance_fault verify_balance(light_span<const chain_block> blocks, const balance_options& rules,
                                                     const Depth& depth = {}) {
  return impl::search_partition(blocks, rules, depth).fault;
}

/// The partition with the least longest stage; of several the one whose loads have the least sum of squares, then the one with the
/// earliest cuts. `depth` is the depth of the stash: a function of a stage and the number of stages, or one count for each
/// stage, such as `schedule::in_flight` of a timetable.
template <class Chain, class Depth = depth_of_1f1b>
[[nodiscard]] constexpr auto balance(const Chain& blocks, const balance_options& rules, const Depth& depth = {}) {
  const light_span<const chain_block> chain{blocks};
  const impl::found_partition found = impl::search_partition(chain, rules, depth);
  throw_if(found.fault);
  const dynamic_array<std::size_t> depths = impl::depths_of(depth, found.begins.size() - 1);
  return impl::as_partition<impl::blocks_of<Chain>>(found, {chain, rules, found.begins.size() - 1, depths});
}

/// The partition that cuts a chain before these blocks, to be compared with the best: its loads, bytes, and the least recomputation
/// with which its stages fit. There is one more stage than cuts.
template <class Chain, class Depth = depth_of_1f1b>
[[nodiscard]] constexpr auto cut_at(const Chain& blocks, light_span<const std::size_t> cuts, balance_options rules,
                                    const Depth& depth = {}) {
  rules.stages = cuts.size() + 1;
  if (rules.fewer_stages && rules.stages < rules.chips.size()) rules.chips = rules.chips.first(rules.stages);  // as `balance` takes them
  if (rules.fewer_stages && rules.stages <= rules.links.size()) rules.links = rules.links.first(rules.stages - 1);
  rules.fewer_stages = false;
  const light_span<const chain_block> chain{blocks};
  const impl::found_partition found = impl::partition_at(chain, cuts, rules, depth);
  throw_if(found.fault);
  const dynamic_array<std::size_t> depths = impl::depths_of(depth, rules.stages);
  return impl::as_partition<impl::blocks_of<Chain>>(found, {chain, rules, rules.stages, depths});
}

/// The same as `balance` for blocks that are written in the call.
template <std::size_t Blocks, class Depth = depth_of_1f1b>
[[nodiscard]] constexpr chain_partition<Blocks> balance(const chain_block (&blocks)[Blocks], const balance_options& rules,
                                                  const Depth& depth = {}) {
  return balance<chain_block[Blocks], Depth>(blocks, rules, depth);
}

}  // namespace ipuflow::plan
