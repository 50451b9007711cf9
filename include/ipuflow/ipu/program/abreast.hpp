// SPDX-License-Identifier: BSL-1.0
// Steps that use different tiles, put side by side: their copies become one exchange and their compute sets one compute
// set, level by level, so that they take as long as the longest and not as long as all together. Products of many
// small matrices, one for each head of an attention layer, are laid out so.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/program/graph.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::ipu {

/// All of `parts` at once. Only copies and compute sets are joined; whatever else a part does is done in its turn.
template <class = void>
inline step abreast(graph& g, const light_vector<step>& parts) {
  light_vector<light_vector<step>> leaves;
  for (const step& part : parts) leaves.push_back(impl::in_order(part));
  light_vector<std::size_t> next(parts.size(), 0);
  step made;
  const auto take = [&]<class Kind>(auto join, std::type_identity<Kind>) {
    bool any = false;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Kind* const found = next[p] == leaves[p].size() ? nullptr : leaves[p][next[p]].get_if<Kind>();
      if (found == nullptr) continue;
      join(*found);
      ++next[p];
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
    copy all;
    const auto join_copies = [&](const copy& c) { all.pieces.insert(all.pieces.end(), c.pieces.begin(), c.pieces.end()); };
    if (take(join_copies, std::type_identity<copy>{})) {
      made.then(std::move(all));
      continue;
    }
    light_vector<vertex_group> groups;
    const auto join_sets = [&](const execute& e) {
      const auto& own = g.compute_sets()[e.set.index].groups;
      groups.insert(groups.end(), own.begin(), own.end());
    };
    if (take(join_sets, std::type_identity<execute>{})) {
      const compute_set_id set = g.add_compute_set("side by side");
      for (vertex_group& group : groups) g.add_vertices(set, std::move(group));
      made.then(execute(set));
      continue;
    }
    made.then(std::move(leaves[p][next[p]++]));
  }
  return made;
}

}  // namespace ipuflow::ipu
