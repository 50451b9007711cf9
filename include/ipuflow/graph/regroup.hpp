// SPDX-License-Identifier: BSL-1.0
// The same blocks in other stages or on other IPUs. The model is not touched: only the placement, a value, changes.
#pragma once

#include <ipuflow/graph/describe.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow {

namespace flow {

/// The blocks of a pipeline, in the stages of a list.
template <auto List, class Start, auto Where, class... Block>
constexpr auto regrouped(pipeline_t<Start, Where, Block...> p) {
  constexpr auto names = pipeline_t<Start, Where, Block...>::names();
  if constexpr (!accept<verify_known(names, List)>()) {
    return refused{};
  } else if constexpr (!accept<verify_grouping(names, List)>()) {
    return refused{};
  } else {
    return checked<grouped_as<sizeof...(Block)>(names, List)>(Start{}, std::move(p.blocks));
  }
}

/// An entry of an IPU list: a number, or `ipus(...)` for a stage with branches.
constexpr ipu_list as_list(std::size_t ipu) { return ipus(ipu); }
constexpr ipu_list as_list(const ipu_list& list) { return list; }

}  // namespace flow

/// The same blocks in the stages named: `regroup(p, stage<"B1", "B2">().ipu<0>(), stage<"B3", "B4">().ipu<1>())`.
template <class Start, auto Where, class... Block, class... Stage>
constexpr auto regroup(pipeline_t<Start, Where, Block...> p, Stage...) {
  return flow::regrouped<flow::list_of<Stage...>>(std::move(p));
}

/// The same blocks in stages made from the IPUs that they are on.
template <auto_stage How, class Start, auto Where, class... Block>
constexpr auto regroup(pipeline_t<Start, Where, Block...> p) {
  constexpr auto names = pipeline_t<Start, Where, Block...>::names();
  return flow::regrouped<auto_stages(How, names, Where.ipu)>(std::move(p));
}

/// The same stages on other IPUs, one entry a stage: `place<0, ipus(1, 2), 2, 3>(p)`.
template <auto... Ipu, class Start, auto Where, class... Block>
constexpr auto place(pipeline_t<Start, Where, Block...> p) {
  constexpr bounded_vector<ipu_list, sizeof...(Ipu)> list{{flow::as_list(Ipu)...}, sizeof...(Ipu)};
  if constexpr (accept<verify_ipus(Where, list)>()) {
    return pipeline_t<Start, placed_on(Where, list), Block...>{std::move(p.blocks)};
  } else {
    return refused{};
  }
}

}  // namespace ipuflow
