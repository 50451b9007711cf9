// SPDX-License-Identifier: BSL-1.0
// The search behind `balance`: what stages cost under a load and a memory, the best partition for each number of stages, and
// where none fits, the one that lacks the fewest bytes.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/plan/partition/chain.hpp>
#include <ipuflow/plan/partition/chain_costs.hpp>
#include <ipuflow/plan/partition/least_recomputation.hpp>
#include <ipuflow/plan/partition/stage_search.hpp>

#include <cstddef>

namespace ipuflow::plan::impl {

/// The load of a stage that fits, with the least recomputation that makes it fit.
template <class = void>
struct basic_load_costs {
  const chain_costs& chain;
  least_recomputation& knapsack;

  [[nodiscard]] constexpr std::size_t stages() const { return chain.stages(); }
  [[nodiscard]] constexpr std::size_t blocks() const { return chain.blocks(); }
  [[nodiscard]] constexpr std::size_t least(std::size_t stage, std::size_t first, std::size_t end) const {
    return chain.time(stage, chain.work(first, end));
  }
  [[nodiscard]] constexpr std::size_t below(std::size_t stage, std::size_t first, std::size_t end, std::size_t bound) const {
    const std::size_t gain = chain.needed_gain(stage, first, end);
    if (gain == none) return none;
    std::size_t work = chain.work(first, end);
    if (gain > 0) {
      const std::size_t most = chain.work_left(stage, first, end, bound);
      const std::size_t again = most == none ? none : knapsack.time(first, end, gain, most);
      if (again == none) return none;
      work += again;
    }
    const std::size_t load = chain.load(stage, first, end, chain.time(stage, work));
    return load < bound ? load : none;
  }
};

/// The bytes that a stage lacks if all its blocks recompute.
template <class = void>
struct basic_lacking_bytes {
  const chain_costs& chain;

  [[nodiscard]] constexpr std::size_t stages() const { return chain.stages(); }
  [[nodiscard]] constexpr std::size_t blocks() const { return chain.blocks(); }
  [[nodiscard]] constexpr std::size_t least(std::size_t stage, std::size_t first, std::size_t end) const {
    const std::size_t needed = chain.least_bytes(stage, first, end);
    return needed <= chain.memory(stage) ? 0 : needed - chain.memory(stage);
  }
  [[nodiscard]] constexpr std::size_t below(std::size_t stage, std::size_t first, std::size_t end, std::size_t bound) const {
    const std::size_t lacking = least(stage, first, end);
    return lacking < bound ? lacking : none;
  }
};

template <class = void>
struct basic_found_partition {
  balance_fault fault{};
  std::size_t bottleneck = none;
  std::size_t lower_bound = 0;
  dynamic_array<std::size_t> begins{};  // of each stage, and the end of the last
  dynamic_array<std::size_t> recomputed{};
};

using found_partition = basic_found_partition<>;

/// The depth of the stash of each stage; none if a list is of other stages.
template <class Depth>
constexpr dynamic_array<std::size_t> depths_of(const Depth& depth, std::size_t stages) {
  dynamic_array<std::size_t> all;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    if constexpr (requires { depth(stage, stages); }) {
      all.push_back(depth(stage, stages));
    } else {
      if (depth.size() != stages) return {};
      all.push_back(depth[stage]);
    }
  }
  return all;
}

/// No partition is shorter than the longest block on the fastest chip, or than all work spread evenly over all chips.
template <class = void>
constexpr std::size_t lower_bound_of(const chain_costs& chain, const balance_options& rules) {
  std::size_t fastest = 0, longest = 0;
  bounded_sum speeds;
  for (std::size_t stage = 0; stage < unlike_chips(rules); ++stage) {
    speeds.add(chip_of(rules, stage).speed, rules.chips.empty() ? rules.stages : 1);
    if (chip_of(rules, stage).speed > chip_of(rules, fastest).speed) fastest = stage;
  }
  for (std::size_t b = 0; b < chain.blocks(); ++b) {
    const std::size_t time = chain.time(fastest, chain.work(b, b + 1));
    if (time > longest) longest = time;
  }
  const std::size_t mean = rounded_up(chain.work(0, chain.blocks()) * rules.measured_at, speeds.value);
  return mean < longest ? longest : mean;
}

/// The fault of the stage that lacks the most bytes, in the partition where that is the fewest.
template <class = void>
constexpr balance_fault fault_of_memory(const chain_costs& chain, std::size_t lacking) {
  basic_lacking_bytes<> cost{chain};
  const dynamic_array<std::size_t> begins = least_squares(cost, lacking + 1);
  for (std::size_t s = 0; s < chain.stages(); ++s) {
    if (cost.least(s, begins[s], begins[s + 1]) < lacking) continue;
    return {balance_wrong::does_not_fit, chain.least_bytes(s, begins[s], begins[s + 1]), chain.memory(s),
            {s, begins[s], begins[s + 1], chain.stages()}};
  }
  return {};
}

/// The first fault of the depths that a rule gives.
template <class Depth>
constexpr balance_fault verify_depths(light_span<const chain_block> blocks, const balance_options& rules, const Depth& depth) {
  std::size_t deepest = 0;
  const std::size_t most = most_stages_of(rules, blocks.size());
  for (std::size_t stages = rules.fewer_stages ? 1 : most; stages <= most; ++stages) {
    const dynamic_array<std::size_t> depths = depths_of(depth, stages);
    if (depths.empty()) {
      if constexpr (requires { depth.size(); }) return {balance_wrong::other_depths, depth.size(), stages};
    }
    for (const std::size_t one : depths) deepest = one > deepest ? one : deepest;
  }
  return verify_sums(blocks, rules, deepest);
}

/// A chain cut where it is told, with the least recomputation with which its stages fit, or the fault why they do not.
template <class Depth>
constexpr found_partition partition_at(light_span<const chain_block> blocks, light_span<const std::size_t> cuts,
                                       const balance_options& rules, const Depth& depth) {
  found_partition found;
  found.fault = verify_chain(blocks, rules);
  if (!found.fault) found.fault = verify_depths(blocks, rules, depth);
  if (found.fault) return found;
  found.begins.push_back(0);
  for (const std::size_t cut : cuts) {
    const std::size_t before = found.begins.back();
    if (cut <= before || cut >= blocks.size())
      return {.fault = {balance_wrong::misplaced_cut, cut, blocks.size(), {.stage = found.begins.size(), .first = before}}};
    found.begins.push_back(cut);
  }
  found.begins.push_back(blocks.size());
  const dynamic_array<std::size_t> depths = depths_of(depth, rules.stages);
  const chain_costs chain{blocks, rules, rules.stages, depths};
  least_recomputation knapsack{chain, rules.search_limit};
  basic_load_costs<> cost{chain, knapsack};
  found.lower_bound = lower_bound_of(chain, rules);
  found.bottleneck = 0;
  for (std::size_t s = 0; s < rules.stages; ++s) {
    const std::size_t first = found.begins[s], end = found.begins[s + 1];
    const std::size_t load = cost.below(s, first, end, none);
    if (knapsack.gave_up()) return {.fault = {balance_wrong::search_too_long, 0, rules.search_limit}};
    if (load == none)
      return {.fault = {balance_wrong::stage_does_not_fit, chain.least_bytes(s, first, end), chain.memory(s), {s, first, end, rules.stages}}};
    if (load > found.bottleneck) found.bottleneck = load;
    for (const std::size_t b : knapsack.set(first, end, chain.needed_gain(s, first, end))) found.recomputed.push_back(b);
  }
  return found;
}

/// A bound that lets the same through again.
[[nodiscard]] constexpr std::size_t above(std::size_t value) { return value == none ? none : value + 1; }

/// The best partition, or the fault why there is none. More stages come first: what they reach bounds the search of fewer.
template <class Depth>
constexpr found_partition search_partition(light_span<const chain_block> blocks, const balance_options& rules, const Depth& depth) {
  found_partition best;
  best.fault = verify_chain(blocks, rules);
  if (!best.fault) best.fault = verify_depths(blocks, rules, depth);
  if (best.fault) return best;
  std::size_t lacking = none, best_stages = 0;  // bytes if nothing fits; the stages of the best, or of the closest
  for (std::size_t stages = most_stages_of(rules, blocks.size()); stages > 0; stages = rules.fewer_stages ? stages - 1 : 0) {
    const dynamic_array<std::size_t> depths = depths_of(depth, stages);
    const chain_costs chain{blocks, rules, stages, depths};
    least_recomputation knapsack{chain, rules.search_limit};
    basic_load_costs<> cost{chain, knapsack};
    const std::size_t longest = least_longest(cost, above(best.bottleneck));
    if (knapsack.gave_up()) return {.fault = {balance_wrong::search_too_long, 0, rules.search_limit}};
    if (longest != none) {
      best.bottleneck = longest;
      best_stages = stages;
    } else if (best.bottleneck == none) {
      basic_lacking_bytes<> bytes{chain};
      const std::size_t least = least_longest(bytes, above(lacking));
      if (least == none) continue;
      lacking = least;
      best_stages = stages;
    }
  }
  const dynamic_array<std::size_t> depths = depths_of(depth, best_stages);
  const chain_costs chain{blocks, rules, best_stages, depths};
  if (best.bottleneck == none) return {.fault = fault_of_memory(chain, lacking)};
  least_recomputation knapsack{chain, rules.search_limit};
  basic_load_costs<> cost{chain, knapsack};
  best.lower_bound = lower_bound_of(chain, rules);
  best.begins = least_squares(cost, best.bottleneck + 1);
  for (std::size_t s = 0; s < best_stages && !knapsack.gave_up(); ++s) {
    const std::size_t first = best.begins[s], end = best.begins[s + 1];
    for (const std::size_t b : knapsack.set(first, end, chain.needed_gain(s, first, end))) best.recomputed.push_back(b);
  }
  if (knapsack.gave_up()) best.fault = {balance_wrong::search_too_long, 0, rules.search_limit};
  return best;
}

}  // namespace ipuflow::plan::impl
