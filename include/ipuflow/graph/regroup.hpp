// SPDX-License-Identifier: BSL-1.0
// The same blocks in other stages or on other IPUs. The model is not touched: only the placement, a value, changes, and where
// a stage begins inside a block that is cut in two.
#pragma once

#include <ipuflow/graph/describe.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ipuflow {

namespace flow {

template <class Names, class List>
constexpr graph_fault verify_regrouping(const Names& names, const List& list) {
  const graph_fault unknown = verify_known(names, list);
  return unknown ? unknown : verify_grouping(names, list);
}

/// Blocks in the stages of a list, or `stuck<fault>`.
template <auto List, class Start, class... Block>
constexpr auto regrouped(hana::tuple<Block...> blocks) {
  constexpr bounded_vector<std::string_view, sizeof...(Block)> names{{Block::name.view()...}, sizeof...(Block)};
  constexpr graph_fault found = verify_regrouping(names, List);
  if constexpr (found) {
    return stuck<found>{};
  } else {
    return checked<impl::grouped_as<sizeof...(Block)>(names, List)>(Start{}, std::move(blocks));
  }
}

/// The stages that begin at some blocks, as a list; the blocks before the first of them are a stage, too.
template <std::size_t Blocks, class Names, std::size_t Count>
constexpr bounded_vector<impl::listed_block, Blocks> list_from(const Names& names, const std::array<std::string_view, Count>& first) {
  bounded_vector<impl::listed_block, Blocks> list;
  std::size_t stage = 0;
  for (std::size_t b = 0, next = 0; b < Blocks; ++b) {
    if (next < Count && names[b] == first[next]) stage += b > 0, ++next;
    list.push_back({fixed_string<60>{names[b]}, stage, 0, stage});
  }
  return list;
}

/// The blocks at which stages begin are there and follow each other.
template <class Names, std::size_t Count>
constexpr graph_fault verify_beginnings(const Names& names, const std::array<std::string_view, Count>& first) {
  bounded_vector<impl::listed_block, Count> asked;
  for (const std::string_view name : first) asked.push_back({fixed_string<60>{name}});
  if (const graph_fault unknown = verify_known(names, asked)) return unknown;
  for (std::size_t s = 1; s < Count; ++s) {
    if (impl::position(names, first[s]) > impl::position(names, first[s - 1])) continue;
    graph_fault found = impl::about(graph_wrong::beginnings_descend, first[s], s);
    found.where.given = type_text{first[s - 1]};
    return found;
  }
  return {};
}

/// Blocks in stages that begin at those, or `stuck<fault>`.
template <class Start, fixed_string... First, class... Block>
constexpr auto regrouped_at(hana::tuple<Block...> blocks) {
  constexpr bounded_vector<std::string_view, sizeof...(Block)> names{{Block::name.view()...}, sizeof...(Block)};
  constexpr std::array<std::string_view, sizeof...(First)> first{First.view()...};
  constexpr graph_fault found = verify_beginnings(names, first);
  if constexpr (found) {
    return stuck<found>{};
  } else {
    return regrouped<list_from<sizeof...(Block)>(names, first), Start>(std::move(blocks));
  }
}

/// Every stage of a pipeline is one branch.
template <class Where>
constexpr graph_fault verify_line(const Where& where) {
  for (std::size_t s = 0; s < where.stages(); ++s) {
    if (where.branches(s) > 1) return {graph_wrong::branches_in_line, s, where.branches(s), {.stage = s}};
  }
  return {};
}

/// The same, cut where the names say so.
template <auto List, class Start, fixed_string... Name, class... Block>
constexpr auto cut_and_regrouped(impl::name_list<Name...>, hana::tuple<Block...> blocks) {
  constexpr graph_fault found = impl::verify_cuts<Name...>(static_cast<const hana::tuple<Block...>*>(nullptr));
  if constexpr (found) {
    return stuck<found>{};
  } else {
    return flow::regrouped<List, Start>(impl::cut<Name...>(std::move(blocks)));
  }
}

/// An entry of an IPU list: a number, or `ipus(...)` for a stage with branches.
template <auto Entry>
constexpr ipu_list entry_of() {
  if constexpr (std::is_integral_v<std::remove_const_t<decltype(Entry)>>) {
    return ipus(std::size_t{Entry});
  } else {
    return Entry;
  }
}

}  // namespace flow

/// The same blocks in the stages named: `regroup(p, stage<"B1", "B2">().ipu<0>(), stage<"B2[3]", "B3">().ipu<1>())`, where
/// the second stage begins at op 3 of block B2.
template <class Start, auto Where, class... Block, class... Stage>
[[nodiscard]] constexpr auto regroup(pipeline_t<Start, Where, Block...> p, Stage...) {
  constexpr graph_fault misplaced =
      impl::verify_parts<Stage...>("regroup", "it the stages by name: stage<\"name\"...>()", {impl::is_of_names<Stage>..., true});
  if constexpr ((std::is_same_v<Stage, impl::refused_part> || ...)) {
    return impl::refused_part{};
  } else {
    constexpr auto names = (impl::name_list<>{} + ... + impl::names_listed(static_cast<const Stage*>(nullptr)));
    auto made = flow::cut_and_regrouped<flow::list_of<Stage...>, Start>(names, std::move(p.blocks));
    [[maybe_unused]] auto none = true ? problem_of<misplaced ? misplaced : flow::fault_in<decltype(made)>>() : nothing_wrong{};
    return made;
  }
}

/// The same blocks in stages that begin at the blocks named, each on the next IPU: `regroup_at<"layer2.0", "layer3.0[5]">(p)` has
/// three, the last of which begins at op 5 of its block.
template <fixed_string... First, class Start, auto Where, class... Block>
[[nodiscard]] constexpr auto regroup_at(pipeline_t<Start, Where, Block...> p) {
  constexpr graph_fault uncut = impl::verify_cuts<First...>(static_cast<const hana::tuple<Block...>*>(nullptr));
  constexpr graph_fault found = uncut ? uncut : flow::verify_line(Where);
  if constexpr (found) {
    [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
    return impl::refused_part{};
  } else {
    auto made = flow::regrouped_at<Start, First...>(impl::cut<First...>(std::move(p.blocks)));
    [[maybe_unused]] auto none = true ? problem_of<flow::fault_in<decltype(made)>>() : nothing_wrong{};
    return made;
  }
}

/// The same blocks in stages made from the IPUs that they are on.
template <auto_stage How, class Start, auto Where, class... Block>
[[nodiscard]] constexpr auto regroup(pipeline_t<Start, Where, Block...> p) {
  constexpr auto names = pipeline_t<Start, Where, Block...>::names();
  auto made = flow::regrouped<auto_stages(How, names, Where), Start>(std::move(p.blocks));
  [[maybe_unused]] auto none = true ? problem_of<flow::fault_in<decltype(made)>>() : nothing_wrong{};
  return made;
}

/// The same stages on other IPUs, one entry a stage: `place<0, ipus(1, 2), 2, 3>(p)`.
template <auto... Ipu, class Start, auto Where, class... Block>
[[nodiscard]] constexpr auto place(pipeline_t<Start, Where, Block...> p) {
  constexpr bounded_vector<ipu_list, sizeof...(Ipu)> list{{flow::entry_of<Ipu>()...}, sizeof...(Ipu)};
  constexpr graph_fault found = verify_ipus(Where, list);
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  if constexpr (found) {
    return impl::refused_part{};
  } else {
    return pipeline_t<Start, impl::placed_on(Where, list), Block...>{std::move(p.blocks)};
  }
}
template <class Start, auto Where, class... Block, class First, class... Ipu>
constexpr auto place(const pipeline_t<Start, Where, Block...>&, First, Ipu...) {
  [[maybe_unused]] auto none = true ? problem_of<impl::number_in_call<"place", "place<0, 1>(pipeline)", First>>() : nothing_wrong{};
  return impl::refused_part{};
}

}  // namespace ipuflow
