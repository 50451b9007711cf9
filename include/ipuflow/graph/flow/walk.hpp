// SPDX-License-Identifier: BSL-1.0
// The one walk over a pipeline: `start >> block >> block ...`, a fold whose state is a type. It splits the flow where
// concurrent branches begin, joins it where they end, and notes what enters and leaves every stage: the values that
// flow, then the named values that a later stage still uses, which are carried through.
#pragma once

#include <ipuflow/graph/flow/point.hpp>
#include <ipuflow/graph/placement.hpp>

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::flow {

/// Which stage uses a named value.
struct use_site {
  std::string_view name{};
  std::size_t stage = 0;
};

template <class Op>
inline constexpr auto names_used_by = bounded_vector<std::string_view, 0>{};
template <class Op, fixed_string... Name>
inline constexpr auto names_used_by<use_t<Op, Name...>> =
    bounded_vector<std::string_view, sizeof...(Name)>{{Name.view()...}, sizeof...(Name)};

template <class Block>
inline constexpr std::size_t uses_in = 0;
template <fixed_string Name, std::size_t Ipu, class... Op>
inline constexpr std::size_t uses_in<block_t<Name, Ipu, Op...>> = (0 + ... + names_used_by<Op>.size());

template <class Uses, fixed_string Name, std::size_t Ipu, class... Op>
constexpr void add_uses(Uses& uses, std::size_t stage, const block_t<Name, Ipu, Op...>*) {
  [[maybe_unused]] const auto add = [&](const auto& names) {
    for (const std::string_view name : names) uses.push_back({name, stage});
  };
  (add(names_used_by<Op>), ...);
}

template <std::size_t Index, class Block>
struct block_at {};

/// What the walk knows beforehand: where each block is, and which stages use which named values.
template <auto Where, class... Block>
struct walk_facts {
  static constexpr const auto& where = Where;
  static constexpr auto uses = [] {
    bounded_vector<use_site, (uses_in<Block> + ...)> all;
    std::size_t block = 0;
    (add_uses(all, Where.stage[block++], static_cast<const Block*>(nullptr)), ...);
    return all;
  }();

  static constexpr bool used_after(std::string_view name, std::size_t stage) {
    for (const use_site& use : uses) {
      if (use.stage > stage && use.name == name) return true;
    }
    return false;
  }
};

/// `Ends`: the points behind the finished stages. `Entry`: what enters the stage at hand. `Branches`: the points behind
/// its finished branches. `Here`: the point reached.
template <class Layout, class Ends, class Entry, class Branches, class Here>
struct walk {};

template <class... Point>
struct points {};

template <std::size_t Index, class Points>
struct element_of;
template <std::size_t Index, class... Point>
struct element_of<Index, points<Point...>> : std::tuple_element<Index, std::tuple<Point...>> {};

/// The point that a branch starts from: where there are several, each looks at the same values.
template <bool Fork, class... T, class... N>
constexpr auto branch_start(point<values<T...>, N...> entry) {
  if constexpr (Fork) {
    return point<values<const T&...>, N...>{};
  } else {
    return entry;
  }
}

template <class Entry, class Named>
inline constexpr bool is_inherited = false;
template <class Flow, class... N, class Named>
inline constexpr bool is_inherited<point<Flow, N...>, Named> = (std::is_same_v<N, Named> || ...);

/// What two branches give, side by side, and what either named.
template <class Entry, class... A, class... N, class... B, class... M>
constexpr auto joined(point<values<A...>, N...>, point<values<B...>, M...>) {
  return (point<values<A..., B...>, N...>{} >> ... >> only_if<!is_inherited<Entry, M>, M>{});
}
template <class Entry, graph_fault Found, class... B, class... M>
constexpr auto joined(stuck<Found> here, point<values<B...>, M...>) {
  return here;
}
template <class Entry, class First, class Second, class... Rest>
constexpr auto joined(First first, Second second, Rest... rest) {
  return joined<Entry>(joined<Entry>(first, second), rest...);
}
template <class Entry, class Only>
constexpr Only joined(Only only) {
  return only;
}

/// What leaves a stage: what flows, and the named values that are used further on.
template <class Layout, std::size_t Stage, class... T, fixed_string... Name, class... N>
constexpr auto leaving(point<values<T...>, named<Name, N>...>) {
  return (point<values<std::remove_cvref_t<T>...>>{} >> ... >>
          only_if<Layout::used_after(Name, Stage), named<Name, N>>{});
}
template <class Layout, std::size_t Stage, graph_fault Found>
constexpr stuck<Found> leaving(stuck<Found> here) {
  return here;
}

template <class Layout, std::size_t Stage, class Entry, class... Branch>
using end_of = decltype(leaving<Layout, Stage>(joined<Entry>(Branch{}...)));

template <bool Fork, class L, class... End, class Entry, class Branches, class Here, class... T, class... N>
constexpr auto next_stage(walk<L, points<End...>, Entry, Branches, Here>, point<values<T...>, N...> out) {
  using entry = point<values<T...>, N...>;
  return walk<L, points<End..., entry>, entry, points<>, decltype(branch_start<Fork>(out))>{};
}
template <bool Fork, class Walk, graph_fault Found>
constexpr stuck<Found> next_stage(Walk, stuck<Found> here) {
  return here;
}

/// The walk at the beginning of a block: on in the same branch, into the next branch, or into the next stage.
template <std::size_t Index, class L, class Ends, class Entry, class... Branch, class Here>
constexpr auto entering(walk<L, Ends, Entry, points<Branch...>, Here> here) {
  constexpr bool fork = L::where.branches(L::where.stage[Index]) > 1;
  if constexpr (!L::where.starts_branch(Index)) {
    return here;
  } else if constexpr (Index == 0) {
    return walk<L, Ends, Entry, points<>, decltype(branch_start<fork>(Entry{}))>{};
  } else if constexpr (L::where.starts_stage(Index)) {
    return next_stage<fork>(here, end_of<L, L::where.stage[Index - 1], Entry, Branch..., Here>{});
  } else {
    return walk<L, Ends, Entry, points<Branch..., Here>, decltype(branch_start<fork>(Entry{}))>{};
  }
}

template <class L, class Ends, class Entry, class Branches, class From, class Here>
constexpr auto moved(walk<L, Ends, Entry, Branches, From>, Here) {
  return walk<L, Ends, Entry, Branches, Here>{};
}
template <class L, class Ends, class Entry, class Branches, class From, graph_fault Found>
constexpr stuck<Found> moved(walk<L, Ends, Entry, Branches, From>, stuck<Found> here) {
  return here;
}

template <class L, class Ends, class Entry, class Branches, class Here, std::size_t Index, fixed_string Name,
          std::size_t Ipu, class... Op, std::size_t... I>
constexpr auto through(walk<L, Ends, Entry, Branches, Here> at, block_at<Index, block_t<Name, Ipu, Op...>>,
                       std::index_sequence<I...>) {
  return moved(at, (Here{} >> ... >> op_at<L::where.stage[Index], L::where.branch[Index], Name, I, Op>{}));
}
template <graph_fault Found, class Block, class Indices>
constexpr stuck<Found> through(stuck<Found> here, Block, Indices) {
  return here;
}

template <class L, class Ends, class Entry, class Branches, class Here, std::size_t Index, fixed_string Name,
          std::size_t Ipu, class... Op>
constexpr auto operator>>(walk<L, Ends, Entry, Branches, Here> at, block_at<Index, block_t<Name, Ipu, Op...>> block) {
  return through(entering<Index>(at), block, std::index_sequence_for<Op...>{});
}

template <class L, class... End, class Entry, class... Branch, class Here>
constexpr auto finished(walk<L, points<End...>, Entry, points<Branch...>, Here>) {
  return points<End..., end_of<L, L::where.stages() - 1, Entry, Branch..., Here>>{};
}
template <graph_fault Found>
constexpr stuck<Found> finished(stuck<Found> here) {
  return here;
}

template <class Start, auto Where, class... Block, std::size_t... Index>
constexpr auto traced(std::index_sequence<Index...>) {
  return finished(
      (walk<walk_facts<Where, Block...>, points<>, Start, points<>, Start>{} >> ... >> block_at<Index, Block>{}));
}

/// `points<...>` behind each stage, or `stuck<fault>`.
template <class Start, auto Where, class... Block>
using trace_of = decltype(traced<Start, Where, Block...>(std::index_sequence_for<Block...>{}));

}  // namespace ipuflow::flow
