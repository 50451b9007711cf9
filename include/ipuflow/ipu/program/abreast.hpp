// SPDX-License-Identifier: BSL-1.0
// Steps that use different tiles, put side by side: their copies become one exchange and their compute sets one compute
// set, level by level, so that they take as long as the longest and not as long as all together. Products of many
// small matrices, one for each head of an attention layer, are laid out so.
#pragma once

#include <ipuflow/ipu/program/graph.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

namespace detail {

/// The steps of nested sequences, in order.
template <class = void>
inline void append_leaves(const step& s, std::vector<step>& leaves) {
  if (s.kind != step_kind::sequence) return leaves.push_back(s);
  for (const step& inner : s.body) append_leaves(inner, leaves);
}

}  // namespace detail

/// All of `parts` at once. Only copies and compute sets are joined; whatever else a part does is done in its turn.
template <class = void>
[[nodiscard]] inline step abreast(graph& g, const std::vector<step>& parts) {
  std::vector<std::vector<step>> leaves(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) detail::append_leaves(parts[p], leaves[p]);
  std::vector<std::size_t> next(parts.size(), 0);
  std::vector<step> made;
  const auto take = [&](step_kind kind, auto&& join) {
    bool any = false;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (next[p] == leaves[p].size() || leaves[p][next[p]].kind != kind) continue;
      join(leaves[p][next[p]++]);
      any = true;
    }
    return any;
  };
  const auto unfinished = [&] {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (next[p] < leaves[p].size()) return p;
    }
    return parts.size();
  };
  for (std::size_t p = unfinished(); p < parts.size(); p = unfinished()) {
    step copies = copy({});
    if (take(step_kind::copy,
             [&](step& s) { copies.pieces.insert(copies.pieces.end(), s.pieces.begin(), s.pieces.end()); })) {
      made.push_back(std::move(copies));
      continue;
    }
    std::vector<vertex_group> groups;
    if (take(step_kind::execute, [&](const step& s) {
          const auto& own = g.compute_sets()[s.index].groups;
          groups.insert(groups.end(), own.begin(), own.end());
        })) {
      const compute_set_id set = g.add_compute_set("side by side");
      for (vertex_group& group : groups) g.add_vertices(set, std::move(group));
      made.push_back(execute(set));
      continue;
    }
    made.push_back(leaves[p][next[p]++]);
  }
  return sequence(std::move(made));
}

}  // namespace ipuflow::ipu
