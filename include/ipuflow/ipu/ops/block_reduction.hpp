// SPDX-License-Identifier: BSL-1.0
// Sums of blocks that several tiles have partial results of: each of these tiles gets a share of the elements, from all of them.
// Many partials are added up in several times, as the plan of a reduction says.
#pragma once

#include <ipuflow/ipu/ops/reduce.hpp>
#include <ipuflow/ipu/ops/reduction_plan.hpp>
#include <ipuflow/ipu/program/arrange.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace ipuflow::ipu::impl {

/// Every tile of a group gets a share of its sums.
template <class = void>
inline std::vector<tile_block> shares_of(const std::vector<std::vector<tile_block>>& groups) {
  std::vector<tile_block> shares;
  for (const std::vector<tile_block>& group : groups) {
    for (std::size_t t = 0; t < group.size(); ++t) {
      const std::size_t share = share_cut(group[0].elements, group.size()).size(t);
      if (share > 0) shares.push_back({group[t].tile, share});
    }
  }
  return shares;
}

/// `wanted` if it is mapped so and of that type, or room for it.
template <class = void>
inline variable_id room_in(graph& g, std::string_view name, element_type type, const std::vector<tile_block>& blocks,
                           const variable_id* wanted) {
  mapping map = mapping_of(blocks);
  if (wanted != nullptr && g[*wanted].type() == type && g[*wanted].map() == map) return *wanted;
  const std::size_t elements = map.empty() ? 0 : map.back().end;
  return g.add_temporary(name_from(name), type, elements, std::move(map));
}

/// A block's partials that are added up together: how many they are, and the tiles that take shares of their sums.
struct block_sum {
  std::vector<tile_block> tiles{};
  std::size_t depth = 0;
};

/// The partial blocks of each sum, one after the other, to sums in the same order of elements.
template <class = void>
std::pair<step, variable_id> add_up_blocks(graph& g, const std::vector<block_sum>& wanted_sums, variable_id partials, element_type to,
                                           const variable_id* wanted) {
  std::vector<tile_block> gathered, shares;
  std::vector<copy_piece> pieces;
  std::size_t from = 0;
  std::size_t at = 0;
  for (const block_sum& sum : wanted_sums) {
    const std::size_t size = sum.tiles[0].elements;
    const dimension_cut cut = share_cut(size, sum.tiles.size());
    for (std::size_t t = 0; t < sum.tiles.size(); ++t) {
      const std::size_t share = cut.size(t);
      if (share == 0) continue;
      pieces.push_back({.from = {.begin = from + cut.begin(t), .step = size},
                        .to = {.begin = at, .step = share},
                        .length = share,
                        .count = sum.depth});
      gathered.push_back({sum.tiles[t].tile, share * sum.depth});
      shares.push_back({sum.tiles[t].tile, share});
      at += share * sum.depth;
    }
    from += size * sum.depth;
  }
  const arranged in = arrange(g, partials, "partials", mapping_of(gathered), std::move(pieces));
  const variable_id sums = room_in(g, "sums", to, shares, wanted);
  const codelet code = reduce_codelet(reduce_operation::sum, g[partials].type(), to);
  return {sequence(in.bring, on_each_tile(g, "reduce", code, sums, {whole(in.variable), whole(sums)})), sums};
}

/// Partial blocks of each group, one after the other, to sums in the same order of elements, of which its tiles take shares. Sums that are
/// added up again have the type of partials, and are of tiles that follow each other [PL poplin, ConvReduce.cpp: partialGroupedReduce].
template <class = void>
inline std::pair<step, variable_id> reduce_blocks(graph& g, const std::vector<std::vector<tile_block>>& groups,
                                                  variable_id partials, element_type to, const variable_id* wanted = nullptr) {
  std::size_t parts = 0, size = 0;
  for (const std::vector<tile_block>& group : groups) parts = std::max(parts, group.size()), size = std::max(size, group[0].elements);
  const reduction_plan plan = plan_reduction(g.chip(), g[partials].type(), size, parts);
  std::vector<std::size_t> depth;
  for (const std::vector<tile_block>& group : groups) depth.push_back(group.size());
  step program;
  variable_id made = partials;
  for (std::size_t time = 0; time < plan.times; ++time) {
    std::vector<block_sum> sums;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::vector<tile_block>& group = groups[i];
      const std::size_t left = std::min(plan.sums[time], depth[i]);
      for (std::size_t s = 0; s < left; ++s) {
        const auto tile = [&](std::size_t n) { return group.begin() + static_cast<std::ptrdiff_t>(part_begin(group.size(), left, n)); };
        sums.push_back({{tile(s), tile(s + 1)}, part_size(depth[i], left, s)});
      }
      depth[i] = left;
    }
    const bool last = time + 1 == plan.times;
    auto [added, total] = add_up_blocks(g, sums, made, last ? to : g[partials].type(), last ? wanted : nullptr);
    program.then(std::move(added)), made = total;
  }
  return {std::move(program), made};
}

}  // namespace ipuflow::ipu::impl
