// SPDX-License-Identifier: BSL-1.0
// From what the user writes to a pipeline: declarations, blocks and stages in any mixture are read into a list of
// blocks and the placement that the list stands for; whatever is wrong stops the compiler here, with one sentence.
#pragma once

#include <ipuflow/graph/pipeline.hpp>
#include <ipuflow/graph/repeat.hpp>

#include <boost/hana/flatten.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow {

namespace flow {

/// A list of stages in the making.
template <std::size_t Blocks>
struct lister {
  bounded_vector<impl::listed_block, Blocks> list{};
  std::size_t stage = 0;
  std::size_t branch = 0;

  template <fixed_string Name, std::size_t Ipu, class... Op>
  constexpr void block(const block_t<Name, Ipu, Op...>*, std::size_t ipu_of_stage) {
    list.push_back({fixed_string<60>{Name.view()}, stage, branch, ipu_of_stage == unplaced ? Ipu : ipu_of_stage});
  }

  template <std::size_t Ipu, class... Block>
  constexpr void blocks(const stage_t<Ipu, Block...>*) {
    (block(static_cast<const Block*>(nullptr), Ipu), ...);
  }
  template <std::size_t Ipu, fixed_string... Name>
  constexpr void blocks(const impl::stage_of_names<Ipu, Name...>*) {
    const auto add = [&](const impl::name_range& names) {
      for (std::size_t i = 0; i < names.size(); ++i) list.push_back({names[i], stage, branch, Ipu});
    };
    (add(impl::names_meant(Name)), ...);
  }
  template <class Block>
  constexpr void blocks(const Block* single) {
    block(single, unplaced);
  }

  template <class... Stage>
  constexpr void add(const concurrent_t<Stage...>*) {
    ((blocks(static_cast<const Stage*>(nullptr)), ++branch), ...);
    branch = 0;
    ++stage;
  }
  template <class... Part>
  constexpr void add(const impl::row_t<Part...>*) {
    (add(static_cast<const Part*>(nullptr)), ...);
  }
  template <class Stage>
  constexpr void add(const Stage* one) {
    blocks(one);
    ++stage;
  }
};

/// The number of blocks that a part of a description lists; declarations list none.
template <class Part>
inline constexpr std::size_t listed = 0;
template <fixed_string Name, std::size_t Ipu, class... Op>
inline constexpr std::size_t listed<block_t<Name, Ipu, Op...>> = 1;
template <std::size_t Ipu, class... Block>
inline constexpr std::size_t listed<stage_t<Ipu, Block...>> = sizeof...(Block);
template <std::size_t Ipu, fixed_string... Name>
inline constexpr std::size_t listed<impl::stage_of_names<Ipu, Name...>> = (0 + ... + impl::names_meant(Name).size());
template <class... Stage>
inline constexpr std::size_t listed<concurrent_t<Stage...>> = (0 + ... + listed<Stage>);
template <class... Part>
inline constexpr std::size_t listed<impl::row_t<Part...>> = (0 + ... + listed<Part>);

/// The stages among the parts, in order.
template <class... Part>
inline constexpr auto list_of = [] {
  lister<(0 + ... + listed<Part>)> lister;
  const auto add = [&]<class P>(const P* part) {
    if constexpr (listed<P> > 0) lister.add(part);
  };
  (add(static_cast<const Part*>(nullptr)), ...);
  return lister.list;
}();

/// A part as the operand of a fold over what is declared; stages declare nothing.
template <class Part>
struct declaration {};

template <class Flow, class... N, class Part>
constexpr auto operator>>(point<Flow, N...> start, declaration<Part>) {
  if constexpr (impl::is_declaration<Part>) {
    return start >> Part{};
  } else {
    return start;
  }
}

template <fixed_string Name, std::size_t Ipu, class... Op>
constexpr auto blocks_of(block_t<Name, Ipu, Op...> block) {
  return hana::tuple<block_t<Name, Ipu, Op...>>{std::move(block)};
}
template <std::size_t Ipu, class... Block>
constexpr auto blocks_of(stage_t<Ipu, Block...> stage) {
  return std::move(stage.blocks);
}
template <class... Stage>
constexpr auto blocks_of(concurrent_t<Stage...> stage) {
  return hana::unpack(std::move(stage.branches), [](auto&&... branch) {
    return hana::flatten(hana::make_tuple(flow::blocks_of(std::move(branch))...));
  });
}
template <class... Part>
constexpr auto blocks_of(impl::row_t<Part...> row) {
  if constexpr (impl::is_row_of_blocks<impl::row_t<Part...>>) {
    return std::move(row.parts);
  } else {
    return hana::unpack(std::move(row.parts), [](auto&&... part) {
      return hana::flatten(hana::make_tuple(flow::blocks_of(std::move(part))...));
    });
  }
}
template <class Declaration>
constexpr hana::tuple<> blocks_of(const Declaration&) {
  return {};
}

template <class... Part>
constexpr auto joined_blocks(Part... part) {
  return hana::flatten(hana::make_tuple(flow::blocks_of(std::move(part))...));
}

template <class... N, class... T>
constexpr point<values<std::remove_cvref_t<T>...>, N...> declared_input(point<void, N...>, values<T...>);

/// If no input is declared, it is what the first op is declared to take.
template <class... N, fixed_string Name, std::size_t Ipu, class Op, class... Rest>
constexpr auto with_input(point<void, N...> declared, const block_t<Name, Ipu, Op, Rest...>&) {
  if constexpr (std::is_void_v<typename arguments<Op>::type>) {
    return stuck<graph_fault{.kind = graph_wrong::no_input, .where = {.op_type = type_name<Op>()}}>{};
  } else {
    return decltype(flow::declared_input(declared, typename arguments<Op>::type{})){};
  }
}
template <class... N, fixed_string Name, std::size_t Ipu>
constexpr auto with_input(point<void, N...>, const block_t<Name, Ipu>&) {
  return stuck<graph_fault{.kind = graph_wrong::no_input, .where = {.op_type = type_text{"which the first block lacks"}}}>{};
}
template <class Start, class Block>
constexpr Start with_input(Start start, const Block&) {
  return start;
}

template <class Result>
inline constexpr graph_fault fault_in{};
template <graph_fault Found>
inline constexpr graph_fault fault_in<stuck<Found>> = Found;

/// The names of `per_run`.
template <fixed_string... Before, fixed_string Name, class T>
constexpr given_arguments<void, Before..., Name> operator>>(given_arguments<void, Before...>, declaration<per_run_t<Name, T>>) {
  return {};
}
template <fixed_string... Before, class Part>
constexpr given_arguments<void, Before...> operator>>(given_arguments<void, Before...> so_far, declaration<Part>) {
  return so_far;
}

/// The start with those names beside it, if there are any.
template <class Start, fixed_string... Name>
constexpr auto with_arguments(Start start, given_arguments<void, Name...>) {
  if constexpr (fault_in<Start> || sizeof...(Name) == 0) {
    return start;
  } else {
    return given_arguments<Start, Name...>{};
  }
}

/// The fault of a block that keeps a value under a name that is declared, though the one declared may not be used any more: a name
/// says whether a value comes from outside. Or under one whose value was never used: who uses it further on may mean that one.
template <class Flow, fixed_string... Name, class... T, class Mentions>
constexpr graph_fault verify_kept(point<Flow, named<Name, T>...>, const Mentions& mentions) {
  for (std::size_t i = 0; i < mentions.size(); ++i) {
    if (mentions[i].used) continue;
    const std::string_view name = mentions[i].name;
    std::size_t behind = i;  // the last mention before it
    while (behind > 0 && mentions[behind - 1].name != name) --behind;
    if ((behind > 0 && !mentions[behind - 1].used) || ((name == Name.view()) || ...)) return impl::about(graph_wrong::repeated_value, name);
  }
  return {};
}

/// The pipeline if the types flow, otherwise `stuck<fault>`.
template <auto Where, class Start, class... Block>
constexpr auto checked(Start start, hana::tuple<Block...> blocks) {
  if constexpr (fault_in<Start>) {
    return start;
  } else if constexpr (fault_in<trace_of<Start, Where, Block...>>) {
    return trace_of<Start, Where, Block...>{};
  } else if constexpr (constexpr graph_fault found =
                           flow::verify_kept(typename start_of<Start>::point{}, walk_facts<Where, Block...>::mentions)) {
    return stuck<found>{};
  } else {
    return pipeline_t<Start, Where, Block...>{std::move(blocks)};
  }
}

template <class List>
constexpr auto names_in(const List& list) {
  bounded_vector<std::string_view, List::capacity()> names;
  for (const impl::listed_block& listed : list) names.push_back(listed.name);
  return names;
}

/// Faults of a list of stages that do not depend on types.
template <class List>
constexpr graph_fault verify_list(const List& list, std::size_t fewest) {
  if (list.empty()) return {graph_wrong::no_stages, 0, 1};
  const std::size_t stages = list.back().stage + 1;
  if (stages < fewest) return {graph_wrong::too_few_stages, stages, fewest};
  if (const graph_fault found = impl::verify_names(names_in(list))) return found;
  return impl::verify_places(list);
}

/// Declarations first, then stages that have their ops with them.
template <class... Part>
constexpr graph_fault verify_order() {
  bool stages_began = false;
  const auto fits = [&](bool declares, bool describes) {
    stages_began = stages_began || !declares;
    return declares ? !stages_began : describes;
  };
  return impl::verify_parts<Part...>("pipeline", "it inputs and named values, then stages and block<\"name\">(op...)",
                               {fits(impl::is_declaration<Part>, impl::is_described<Part> || impl::is_row<Part>)..., true});
}

/// All blocks of a list in its first stage.
template <class List>
constexpr List in_one_stage(List list) {
  for (impl::listed_block& listed : list) listed.stage = listed.branch = 0;
  for (impl::listed_block& listed : list) listed.ipu = list[0].ipu;
  return list;
}

/// The pipeline, or `stuck<fault>`.
template <auto List, std::size_t Fewest, class... Part>
constexpr auto described(Part... part) {
  constexpr const auto& list = List;
  constexpr graph_fault order = verify_order<Part...>();
  constexpr graph_fault found = order ? order : verify_list(list, Fewest);
  if constexpr (found) {
    return stuck<found>{};
  } else {
    constexpr auto where = impl::grouped_as<list.size()>(names_in(list), list);
    auto blocks = flow::joined_blocks(std::move(part)...);
    constexpr auto declared = (point<void>{} >> ... >> declaration<Part>{});
    constexpr auto arguments = (given_arguments<void>{} >> ... >> declaration<Part>{});
    constexpr auto start = flow::with_arguments(decltype(flow::with_input(declared, blocks[hana::size_c<0>])){}, arguments);
    return flow::checked<where>(start, std::move(blocks));
  }
}

}  // namespace flow

/// A pipeline: what it is given, then its stages in the order of the data. A block alone is a stage of its own.
template <class... Part>
[[nodiscard]] constexpr auto pipeline(Part... part) {
  if constexpr ((std::is_same_v<Part, impl::refused_part> || ...)) {
    return impl::refused_part{};
  } else {
    auto made = flow::described<flow::list_of<Part...>, 2>(std::move(part)...);
    [[maybe_unused]] auto none = true ? problem_of<flow::fault_in<decltype(made)>>() : nothing_wrong{};
    return made;
  }
}

/// The same with all blocks in one stage, on one IPU.
template <class... Part>
[[nodiscard]] constexpr auto single_stage(Part... part) {
  if constexpr ((std::is_same_v<Part, impl::refused_part> || ...)) {
    return impl::refused_part{};
  } else {
    auto made = flow::described<flow::in_one_stage(flow::list_of<Part...>), 1>(std::move(part)...);
    [[maybe_unused]] auto none = true ? problem_of<flow::fault_in<decltype(made)>>() : nothing_wrong{};
    return made;
  }
}

}  // namespace ipuflow
