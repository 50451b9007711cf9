// SPDX-License-Identifier: BSL-1.0
// What a program puts on tiles besides variables: the code of codelets (once a tile, however many vertices run it), the state
// of vertices, exchange code, control code, stacks. Sizes that the vendor's compiler decides are assumptions, named here and
// in docs/ipu_model.md.
#pragma once

#include <ipuflow/ipu/copies.hpp>
#include <ipuflow/ipu/graph.hpp>
#include <ipuflow/ipu/memory_report.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace ipuflow::ipu {

inline constexpr std::size_t control_code_of_step = 8;  // two instructions: load an address, run
inline constexpr std::size_t stack_of_worker = 128;     // bytes, on tiles that have vertices

/// Adds up what the steps of a program put on tiles besides variables; each step and function stands there once.
struct code_walk {
  const graph& g;
  memory_report& report;
  std::vector<bool> counted_functions;
  std::map<std::string_view, std::vector<bool>> code_on;  // tiles that have the codelet of that name

  void operator()(const step& s) {
    for (const step& inner : s.body) (*this)(inner);
    if (s.kind == step_kind::call) {
      if (!counted_functions[s.index]) {
        counted_functions[s.index] = true;
        (*this)(g.functions()[s.index]);
      }
    } else if (s.kind == step_kind::execute) {
      vertices(g.compute_sets()[s.index]);
    } else if (s.kind == step_kind::copy) {
      const copy_cost cost = cost_of_copy(g, s);
      for (std::size_t t = 0; t < cost.code_bytes.size(); ++t) report.tiles[t][memory_category::exchange_code] += cost.code_bytes[t];
    }
    if (s.kind == step_kind::sequence || s.kind == step_kind::parallel || s.kind == step_kind::overlap) return;
    for (tile_memory& t : report.tiles) t[memory_category::control_code] += static_cast<std::uint32_t>(control_code_of_step);
  }

  void vertices(const compute_set& set) {
    for (const vertex_group& group : set.groups) {
      const codelet& c = g.codelets()[group.codelet];
      std::vector<bool>& has = code_on[c.name().view()];
      has.resize(report.tiles.size(), false);
      for (std::size_t t = group.first_tile; t < group.first_tile + group.tiles; ++t) {
        tile_memory& tile = report.tiles[t];
        tile[memory_category::vertex_state] += static_cast<std::uint32_t>(c.state().value * group.per_tile);
        tile[memory_category::stack] = static_cast<std::uint32_t>(stack_of_worker * (g.chip().workers + 1));
        if (!has[t]) tile[memory_category::vertex_code] += static_cast<std::uint32_t>(c.code().value);
        has[t] = true;
      }
    }
  }
};

}  // namespace ipuflow::ipu
