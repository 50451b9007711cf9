// SPDX-License-Identifier: BSL-1.0
// Sums of blocks that several tiles have partial results of: each of these tiles gets a share of the elements, from all of them.
// Of many partials some are added up first, as the plan of a reduction says.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/reduce.hpp>
#include <ipuflow/ipu/ops/reduction_plan.hpp>
#include <ipuflow/ipu/program/arrange.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace ipuflow::ipu::impl {

/// Every tile of a group gets a share of its sums.
template <class = void>
inline light_vector<tile_block> shares_of(const light_vector<light_vector<tile_block>>& groups) {
  light_vector<tile_block> shares;
  for (const light_vector<tile_block>& group : groups) {
    for (std::size_t t = 0; t < group.size(); ++t) {
      const std::size_t share = share_cut(group[0].elements, group.size()).size(t);
      if (share > 0) shares.push_back({group[t].tile, share});
    }
  }
  return shares;
}

/// `wanted` if it is mapped so and of that type, or room for it.
template <class = void>
inline variable_id room_in(graph& g, std::string_view name, element_type type, const light_vector<tile_block>& blocks,
                           const variable_id* wanted) {
  mapping map = mapping_of(blocks);
  if (wanted != nullptr && g[*wanted].type() == type && g[*wanted].map() == map) return *wanted;
  const std::size_t elements = map.empty() ? 0 : map.back().end;
  return g.add_temporary(name_from(name), type, elements, std::move(map));
}

/// `depth` partial blocks of each group, one after the other, to sums in the same order of elements, of which its tiles take shares.
template <class Depth>
light_pair<step, variable_id> add_up_blocks(graph& g, const light_vector<light_vector<tile_block>>& groups, Depth depth, variable_id partials,
                                           element_type to, const variable_id* wanted) {
  light_vector<tile_block> gathered;
  light_vector<copy_piece> pieces;
  std::size_t from = 0;
  std::size_t at = 0;
  for (const light_vector<tile_block>& group : groups) {
    const std::size_t parts = group.size(), size = group[0].elements, count = depth(parts);
    for (std::size_t t = 0; t < parts; ++t) {
      const std::size_t share = share_cut(size, parts).size(t);
      if (share == 0) continue;
      pieces.push_back({.from = {.begin = from + share_cut(size, parts).begin(t), .step = size},
                        .to = {.begin = at, .step = share},
                        .length = share,
                        .count = count});
      gathered.push_back({group[t].tile, share * count});
      at += share * count;
    }
    from += size * count;
  }
  const arranged in = arrange(g, partials, "partials", mapping_of(gathered), std::move(pieces));
  const variable_id sums = room_in(g, "sums", to, shares_of(groups), wanted);
  const codelet code = reduce_codelet(reduce_operation::sum, g[partials].type(), to);
  return {sequence(in.bring, on_each_tile(g, "reduce", code, sums, {whole(in.variable), whole(sums)})), sums};
}

/// Partial blocks of (i, j), one after the other for each kk, to sums in the same order of elements, each tile a share.
template <class = void>
inline light_pair<step, variable_id> reduce_blocks(graph& g, const light_vector<light_vector<tile_block>>& groups,
                                                  variable_id partials, element_type to, const variable_id* wanted = nullptr) {
  std::size_t parts = 0, size = 0;
  for (const light_vector<tile_block>& group : groups) parts = algorithms::max(parts, group.size()), size = algorithms::max(size, group[0].elements);
  const reduction_plan plan = plan_reduction(g.chip(), g[partials].type(), size, parts);
  if (plan.together >= parts) return add_up_blocks(g, groups, [](std::size_t all) { return all; }, partials, to, wanted);
  light_vector<light_vector<tile_block>> some;
  for (const light_vector<tile_block>& group : groups) {
    for (std::size_t t = 0; t < group.size(); ++t) {
      if (t % plan.together == 0) some.emplace_back();
      some.back().push_back(group[t]);
    }
  }
  auto [first, sums] = add_up_blocks(g, some, [](std::size_t all) { return all; }, partials, element_type::f32, nullptr);
  auto [second, total] = add_up_blocks(g, groups, [&](std::size_t all) { return plan.sums(all); }, sums, to, wanted);
  return {sequence(std::move(first), std::move(second)), total};
}

}  // namespace ipuflow::ipu::impl
