// SPDX-License-Identifier: BSL-1.0
// The one walk over a pipeline at the level of types, which finds what enters and leaves every stage. It is a fold,
// `walk >> step >> step ...`, whose state is the type `walk`; each block takes two steps. The flow splits where concurrent
// branches begin and is joined where they end; named values are carried up to the last stage that uses them.
#pragma once

#include <ipuflow/graph/flow/point.hpp>
#include <ipuflow/graph/placement.hpp>

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::flow {

/// A block mentions a named value: an op of it uses the value, or keeps another one under the name.
struct mention {
  std::string_view name{};
  std::size_t block = 0;
  bool used = false;
};

/// The mentions of an op.
template <class Op>
inline constexpr auto mentions_by = bounded_vector<mention, 0>{};
template <class Op, fixed_string... Name>
inline constexpr auto mentions_by<use_t<Op, Name...>> =
    bounded_vector<mention, sizeof...(Name)>{{{Name.view(), 0, true}...}, sizeof...(Name)};
template <fixed_string... Name>
inline constexpr auto mentions_by<keep_t<Name...>> =
    bounded_vector<mention, sizeof...(Name)>{{{Name.view(), 0, false}...}, sizeof...(Name)};
template <fixed_string... Name>
inline constexpr auto mentions_by<set_aside_t<Name...>> = mentions_by<keep_t<Name...>>;

/// The mentions of the ops of a block, in their order.
template <class... Op>
inline constexpr auto mentions_of_ops = [] {
  bounded_vector<mention, (0 + ... + mentions_by<Op>.size())> all;
  [[maybe_unused]] const auto add = [&](const auto& some) {
    for (const mention& each : some) all.push_back(each);
  };
  (add(mentions_by<Op>), ...);
  return all;
}();
template <class Block>
inline constexpr auto mentions_in = 0;
template <fixed_string Name, std::size_t Ipu, class... Op>
inline constexpr const auto& mentions_in<block_t<Name, Ipu, Op...>> = mentions_of_ops<Op...>;

/// The facts that the walk knows beforehand: the place of each block, and the named values that each mentions.
template <auto Where, class... Block>
struct walk_facts {
  static constexpr const auto& where = Where;
  static constexpr auto mentions = [] {
    bounded_vector<mention, (mentions_in<Block>.size() + ...)> all;
    std::size_t block = 0;
    [[maybe_unused]] const auto add = [&](const auto& some) {
      for (mention each : some) {
        each.block = block;
        all.push_back(each);
      }
      ++block;
    };
    (add(mentions_in<Block>), ...);
    return all;
  }();

  static constexpr bool forks(std::size_t block) { return where.branches(where.stage[block]) > 1; }

  /// True if a value is used behind a block. It is not if its name is kept again first; but one branch does not know what
  /// the others keep.
  static constexpr bool used_after(std::string_view name, std::size_t block) {
    for (const mention& each : mentions) {
      if (each.block <= block || each.name != name) continue;
      if (each.used || !forks(each.block)) return each.used;
    }
    return false;
  }
};

/// A walk is the state of the fold. For the pipeline
///
///   pipeline(input<packet>, per_run<"limit", int>, block<"decode">(decode, keep<"seen">),
///            concurrent(block<"faces">(faces), block<"plates">(plates)), block<"merge">(use<"seen", "limit">(merge)))
///
///   step                        the point behind it               because
///   into_block<0>               packet | limit                    it is what the pipeline is given
///   through_ops<0, decode>      image | limit, seen               `keep` gives what flows a name, too
///   into_block<1>               const image& | limit, seen        stage 0 ends; each of several branches looks at the entry
///   through_ops<1, faces>       count | limit, seen
///   into_block<2>               const image& | limit, seen        the next branch of the stage starts from the entry again
///   through_ops<2, plates>      count | limit, seen
///   into_block<3>               count, count | limit, seen        the branches join; names that no later stage uses go here
///   through_ops<3, merge>       report | limit, seen
///   out_of_pipeline             image | limit, seen;  count, count | limit, seen;  report:   what left the three stages
///
/// (what flows | named values). An op that does not fit makes the state `stuck<fault>`, which every step leaves as it is.
///
/// `Ends`: what left the finished stages. `Entry`: what entered the stage at hand. `Branches`: the points behind its
/// finished branches. `Here`: the point reached.
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

/// A finished branch beside those before it: what they give side by side, and what either named. `Entry` is what both
/// started from.
template <class Entry, class Branch>
struct beside {};

template <class... A, class... N, class Entry, class... B, class... M>
constexpr auto operator>>(point<values<A...>, N...>, beside<Entry, point<values<B...>, M...>>) {
  return (point<values<A..., B...>, N...>{} >> ... >> only_if<!is_inherited<Entry, M>, M>{});
}

/// The end of a block that ends a stage: what flows goes on as a value, and so do the named values that are used further on.
template <class Layout, std::size_t Block>
struct out_of_stage {};

template <class... T, fixed_string... Name, class... N, class Layout, std::size_t Block>
constexpr auto operator>>(point<values<T...>, named<Name, N>...>, out_of_stage<Layout, Block>) {
  return (point<values<std::remove_cvref_t<T>...>>{} >> ... >>
          only_if<Layout::used_after(Name, Block), named<Name, N>>{});
}

/// The point behind a stage of these branches, of which `Block` is the last block.
template <class Layout, std::size_t Block, class Entry, class First, class... Branch>
constexpr auto end_of(points<First, Branch...>) {
  return (First{} >> ... >> beside<Entry, Branch>{}) >> out_of_stage<Layout, Block>{};
}

/// The step to the beginning of the next stage; the walk notes what left the last one.
template <bool Fork, class Walk>
struct into_stage {};

template <class... T, class... N, bool Fork, class L, class... End, class Entry, class Branches, class Here>
constexpr auto operator>>(point<values<T...>, N...> out, into_stage<Fork, walk<L, points<End...>, Entry, Branches, Here>>) {
  using entry = point<values<T...>, N...>;
  return walk<L, points<End..., entry>, entry, points<>, decltype(flow::branch_start<Fork>(out))>{};
}

/// The step to the beginning of a block: on in the same branch, into the next branch, or into the next stage.
template <std::size_t Index>
struct into_block {};

template <class L, class Ends, class Entry, class... Branch, class Here, std::size_t Index>
constexpr auto operator>>(walk<L, Ends, Entry, points<Branch...>, Here> here, into_block<Index>) {
  constexpr bool fork = L::forks(Index);
  if constexpr (!L::where.starts_branch(Index)) {
    return here;
  } else if constexpr (Index == 0) {
    return walk<L, Ends, Entry, points<>, decltype(flow::branch_start<fork>(Entry{}))>{};
  } else if constexpr (L::where.starts_stage(Index)) {
    return flow::end_of<L, Index - 1, Entry>(points<Branch..., Here>{}) >> into_stage<fork, decltype(here)>{};
  } else {
    return walk<L, Ends, Entry, points<Branch..., Here>, decltype(flow::branch_start<fork>(Entry{}))>{};
  }
}

/// A walk that goes on from the point behind.
template <class Walk>
struct resume {};

template <class... T, class... N, class L, class Ends, class Entry, class Branches, class Before>
constexpr auto operator>>(point<values<T...>, N...>, resume<walk<L, Ends, Entry, Branches, Before>>) {
  return walk<L, Ends, Entry, Branches, point<values<T...>, N...>>{};
}

/// The end of a block within a stage without branches: names whose values are not used any more are free again.
template <class Layout, std::size_t Block>
struct out_of_block {};

template <class... T, fixed_string... Name, class... N, class Layout, std::size_t Block>
constexpr auto operator>>(point<values<T...>, named<Name, N>...> here, out_of_block<Layout, Block>) {
  if constexpr (sizeof...(N) == 0 || Layout::forks(Block)) {
    return here;
  } else {
    return (point<values<T...>>{} >> ... >> only_if<Layout::used_after(Name, Block), named<Name, N>>{});
  }
}

template <op_site At, class Here, class... Op, std::size_t... I>
constexpr auto behind_ops(std::index_sequence<I...>) {
  return (Here{} >> ... >> op_at<op_site{At.stage, At.branch, At.block, I}, Op>{});
}
/// The point behind some ops, wherever they stand: equal blocks between equal types are walked through once.
template <class Here, class... Op>
using behind_ops_t = decltype(flow::behind_ops<op_site{}, Here, Op...>(std::index_sequence_for<Op...>{}));

template <class Point>
inline constexpr bool is_stuck = false;
template <graph_fault Found>
inline constexpr bool is_stuck<stuck<Found>> = true;

/// The step through all ops of a block.
template <std::size_t Index, class Block>
struct through_ops {};

template <class L, class Ends, class Entry, class Branches, class Here, std::size_t Index, fixed_string Name,
          std::size_t Ipu, class... Op>
constexpr auto operator>>(walk<L, Ends, Entry, Branches, Here> at, through_ops<Index, block_t<Name, Ipu, Op...>>) {
  if constexpr (is_stuck<behind_ops_t<Here, Op...>>) {  // again, for a sentence that says where
    constexpr op_site here{L::where.stage[Index], L::where.branch[Index], fixed_string<60>{Name.view()}};
    return flow::behind_ops<here, Here, Op...>(std::index_sequence_for<Op...>{});
  } else {
    return behind_ops_t<Here, Op...>{} >> out_of_block<L, Index>{} >> resume<decltype(at)>{};
  }
}

/// Both steps of a block.
template <std::size_t Index, class Block>
struct block_at {};

template <class L, class Ends, class Entry, class Branches, class Here, std::size_t Index, class Block>
constexpr auto operator>>(walk<L, Ends, Entry, Branches, Here> at, block_at<Index, Block>) {
  return at >> into_block<Index>{} >> through_ops<Index, Block>{};
}

/// The last step: what left the stages, the last of them among them.
template <class Ends>
struct out_of_pipeline {};

template <class... T, class... N, class... End>
constexpr auto operator>>(point<values<T...>, N...>, out_of_pipeline<points<End...>>) {
  return points<End..., point<values<T...>, N...>>{};
}
template <class L, class Ends, class Entry, class... Branch, class Here>
constexpr auto operator>>(walk<L, Ends, Entry, points<Branch...>, Here>, out_of_pipeline<void>) {
  return flow::end_of<L, L::where.blocks - 1, Entry>(points<Branch..., Here>{}) >> out_of_pipeline<Ends>{};
}

template <class Start, auto Where, class... Block, std::size_t... Index>
constexpr auto traced(std::index_sequence<Index...>) {
  using first = typename start_of<Start>::point;
  using start = walk<walk_facts<Where, Block...>, points<>, first, points<>, first>;
  return (start{} >> ... >> block_at<Index, Block>{}) >> out_of_pipeline<void>{};
}

/// `points<...>` behind each stage, or `stuck<fault>`.
template <class Start, auto Where, class... Block>
using trace_of = decltype(flow::traced<Start, Where, Block...>(std::index_sequence_for<Block...>{}));

}  // namespace ipuflow::flow
