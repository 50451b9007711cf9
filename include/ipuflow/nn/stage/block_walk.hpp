// SPDX-License-Identifier: BSL-1.0
// The walk over the blocks of one stage, `route >> block >> block ...`. The ops of a block are walked on a route of their own,
// which begins with the values that the block reads and knows neither its name nor its place: equal blocks between equal types
// have one such route. It joins that of the stage by new numbers for its slots.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/nn/stage/stage_walk.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace ipuflow::nn::walk {

/// The names whose values some ops read from outside: those that are used before they are kept.
template <class... Op>
inline constexpr auto names_read = [] {
  constexpr const auto& mentions = flow::mentions_of_ops<Op...>;
  bounded_vector<std::string_view, mentions.capacity()> all;
  for (std::size_t i = 0; i < mentions.size(); ++i) {
    std::size_t first = 0;
    while (mentions[first].name != mentions[i].name) ++first;
    if (first == i && mentions[i].used) all.push_back(mentions[i].name);
  }
  return all;
}();

/// The slots that some ops read from outside: those that flow, then those of the names. Its name has no more of the route than it needs.
template <class Flow, class Names, class... Op>
inline constexpr auto slots_read = [] {
  constexpr const auto& names = names_read<Op...>;
  return []<std::size_t... I>(std::index_sequence<I...>) {
    bounded_vector<std::size_t, sizeof...(I) + names.capacity()> all{{I...}, sizeof...(I)};
    for (const std::string_view name : names) all.push_back(slot_named(name, Names{}));
    return all;
  }(Flow{});
}();

/// The route of some ops on their own, which begins with values of these types: those that flow, then those of the names that are
/// read. `Block` is for the sentence of a fault.
template <fixed_string<60> Block, class... Op, class... Type, std::size_t... Flow>
constexpr auto walked(list<Type...>, at_slots<Flow...>) {
  return []<std::size_t... T, std::size_t... Name, std::size_t... I>(std::index_sequence<T...>, std::index_sequence<Name...>,
                                                                     std::index_sequence<I...>) {
    using names = list<named_slot<fixed_string<60>{names_read<Op...>[Name]}, sizeof...(Flow) + Name>...>;
    using start = route<list<value_slot<Type, T>...>, list<>, names, at_slots<Flow...>, at_slots<>>;
    return (start{} >> ... >> layer_at<layer_site{Block, 0, I}, Op>{});
  }(std::index_sequence_for<Type...>{}, std::make_index_sequence<names_read<Op...>.size()>{}, std::index_sequence_for<Op...>{});
}

/// The elements of a list behind its first `Count`.
template <std::size_t Count, class... T, std::size_t... I>
constexpr auto behind(list<T...>, std::index_sequence<I...>) {
  return list<slot_at_t<list<T...>, Count + I>...>{};
}
template <std::size_t Count, class List>
using behind_t = decltype(behind<Count>(List{}, std::make_index_sequence<List::size - Count>{}));

/// The slots of a route of ops among those of a stage. The first ones are slots of the stage, with roots there; the others
/// come behind all of the stage's.
template <std::size_t Next, class Read, class Roots>
struct renumbered;
template <std::size_t Next, std::size_t... Read, std::size_t... Root>
struct renumbered<Next, at_slots<Read...>, at_slots<Root...>> {
  static constexpr std::size_t count = sizeof...(Read);
  static constexpr std::size_t read[sizeof...(Read) + 1]{Read..., 0};
  static constexpr std::size_t root[sizeof...(Root) + 1]{Root..., 0};
  static constexpr std::size_t slot(std::size_t local) { return local < count ? read[local] : Next + local - count; }
  static constexpr std::size_t root_of(std::size_t local) { return local < count ? root[local] : slot(local); }
};

/// A slot, name or step of a route of ops as one of the stage's; `To` says the numbers.
template <class To, std::size_t Block, class Element>
struct in_stage;
template <class To, std::size_t Block, class Type, std::size_t Root>
struct in_stage<To, Block, value_slot<Type, Root>> {
  using type = value_slot<Type, To::root_of(Root)>;
};
template <class To, std::size_t Block, fixed_string Name, std::size_t Slot>
struct in_stage<To, Block, named_slot<Name, Slot>> {
  using type = named_slot<Name, To::slot(Slot)>;
};
template <class To, std::size_t Block, std::size_t... Slot>
struct in_stage<To, Block, at_slots<Slot...>> {
  using type = at_slots<To::slot(Slot)...>;
};
template <class To, std::size_t Block, class Layer, class In, class Out, class Reads, class Makes, std::size_t Op>
struct in_stage<To, Block, layer_step<Layer, In, Out, Reads, Makes, 0, Op>> {
  using type = layer_step<Layer, typename in_stage<To, Block, In>::type, typename in_stage<To, Block, Out>::type, Reads, Makes, Block, Op>;
};

/// A list with the elements of one on a route of ops behind it.
template <class To, std::size_t Block, class... A, class... B>
constexpr list<A..., typename in_stage<To, Block, B>::type...> with(list<A...>, list<B...>) {
  return {};
}

// What follows says routes of whole stages by types alone: a compiler writes out the name of each function, and a function of a route
// has all of its steps in the name.

/// The route behind a block whose ops, walked on their own, have the route `Made`.
template <class To, std::size_t Block, std::size_t NamesRead, class Route, class Made>
struct behind_block {
  using slots = decltype(with<To, Block>(typename Route::slots{}, behind_t<To::count, typename Made::slots>{}));
  using steps = decltype(with<To, Block>(typename Route::steps{}, typename Made::steps{}));
  using names = decltype(with<To, Block>(typename Route::names{}, behind_t<NamesRead, typename Made::names>{}));
  using type = route<slots, steps, names, typename in_stage<To, Block, typename Made::flow>::type, typename Route::finished>;
};

/// The route behind the ops of a block, which read the slots `Read`.
template <fixed_string Name, std::size_t Block, class Route, class Read, class... Op>
struct through_block;
template <fixed_string Name, std::size_t Block, class Route, std::size_t... Read, class... Op>
struct through_block<Name, Block, Route, at_slots<Read...>, Op...> {
  using slots = typename Route::slots;
  using types = list<typename slot_at_t<slots, Read>::type...>;
  using to = renumbered<slots::size, at_slots<Read...>, at_slots<slot_at_t<slots, Read>::root...>>;
  using flows = std::make_index_sequence<Route::flow::size()>;
  using alone = decltype(walked<fixed_string<60>{}, Op...>(types{}, flows{}));

  template <bool Untrainable, class = void>
  struct route_behind : behind_block<to, Block, names_read<Op...>.size(), Route, alone> {};
  template <class Unused>
  struct route_behind<true, Unused> {  // walked again, for a sentence that says where
    using type = decltype(walked<fixed_string<60>{Name.view()}, Op...>(types{}, flows{}));
  };
  using type = typename route_behind<is_untrainable<alone>>::type;
};

template <const auto& Slots, class = std::make_index_sequence<Slots.size()>>
struct slots_in;
template <const auto& Slots, std::size_t... I>
struct slots_in<Slots, std::index_sequence<I...>> {
  using type = at_slots<Slots[I]...>;
};
template <fixed_string Name, std::size_t Block, class Route, class... Op>
using through_block_t = typename through_block<Name, Block, Route, typename slots_in<slots_read<typename Route::flow, typename Route::names, Op...>>::type, Op...>::type;

/// A stage of a pipeline, or one of its branches, and the points before and behind its stage.
template <class P, std::size_t Stage, std::size_t Branch>
struct stage_part {
  static constexpr const auto& where = P::placement;
  static constexpr std::size_t stage = Stage;
  static constexpr std::size_t branch = Branch;
  using entry = typename flow::entry<P, Stage>::type;
  using exit = typename flow::entry<P, Stage>::exit;
};

/// A further branch begins again with what entered the stage.
template <class Point, class Route>
struct next_branch;
template <class... T, class... N, class Route>
struct next_branch<flow::point<values<T...>, N...>, Route> {
  using finished = decltype(joined(typename Route::finished{}, typename Route::flow{}));
  using type = route<typename Route::slots, typename Route::steps, typename Route::names, std::index_sequence_for<T...>, finished>;
};

/// A block of the pipeline; blocks of other stages than the part's and, if it is a branch, of other branches are passed by.
template <class Part, std::size_t Index, class Block>
struct block_step {
  static constexpr bool all = Part::branch == every_branch;
  static constexpr bool elsewhere = Part::where.stage[Index] != Part::stage || (!all && Part::where.branch[Index] != Part::branch);
  static constexpr bool branches = all && Part::where.starts_branch(Index) && !Part::where.starts_stage(Index);
};

/// The route behind a block.
template <class Route, class Step, bool Elsewhere = Step::elsewhere, bool Branches = Step::branches>
struct behind_step {
  using type = Route;
};
template <class Route, class Part, std::size_t Index, fixed_string Name, std::size_t Ipu, class... Op>
struct behind_step<Route, block_step<Part, Index, block_t<Name, Ipu, Op...>>, false, false> {
  using type = through_block_t<Name, Index, Route, Op...>;
};
template <class Route, class Part, std::size_t Index, fixed_string Name, std::size_t Ipu, class... Op>
struct behind_step<Route, block_step<Part, Index, block_t<Name, Ipu, Op...>>, false, true> {
  using type = through_block_t<Name, Index, typename next_branch<typename Part::entry, Route>::type, Op...>;
};

template <class... State, class Part, std::size_t Index, class Block>
typename behind_step<route<State...>, block_step<Part, Index, Block>>::type operator>>(route<State...>, block_step<Part, Index, Block>);

}  // namespace ipuflow::nn::walk
