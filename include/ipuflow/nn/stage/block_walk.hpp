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

/// The slots that some ops read from outside: those that flow, then those of the names.
template <class... Op, std::size_t... Flow, class Names>
constexpr auto slots_read(at_slots<Flow...>, Names known) {
  constexpr const auto& names = names_read<Op...>;
  bounded_vector<std::size_t, sizeof...(Flow) + names.capacity()> all{{Flow...}, sizeof...(Flow)};
  for (const std::string_view name : names) all.push_back(slot_named(name, known));
  return all;
}

/// The route of some ops on their own, which begins with values of these types.
template <fixed_string Block, class... Type, std::size_t... T, std::size_t... Flow, std::size_t... Name, class... Op, std::size_t... I>
constexpr auto walked(list<Type...>, std::index_sequence<T...>, std::index_sequence<Flow...>, std::index_sequence<Name...>, list<Op...>,
                      std::index_sequence<I...>) {
  using names = list<named_slot<fixed_string<60>{names_read<Op...>[Name]}, sizeof...(Flow) + Name>...>;
  return (route<list<value_slot<Type, T>...>, list<>, names, at_slots<Flow...>, at_slots<>>{} >> ... >> layer_at<Block, 0, I, Op>{});
}
template <fixed_string Block, class Types, std::size_t Flows, class... Op>
using walked_t = decltype(walked<Block>(Types{}, std::make_index_sequence<Types::size>{}, std::make_index_sequence<Flows>{},
                                        std::make_index_sequence<names_read<Op...>.size()>{}, list<Op...>{},
                                        std::index_sequence_for<Op...>{}));

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
template <class To, std::size_t Block, class Layer, std::size_t... In, std::size_t... Out, class Reads, class Makes, std::size_t Op>
struct in_stage<To, Block, layer_step<Layer, at_slots<In...>, at_slots<Out...>, Reads, Makes, 0, Op>> {
  using type = layer_step<Layer, at_slots<To::slot(In)...>, at_slots<To::slot(Out)...>, Reads, Makes, Block, Op>;
};

/// A list with the elements of one on a route of ops behind it.
template <class To, std::size_t Block, class... A, class... B>
constexpr list<A..., typename in_stage<To, Block, B>::type...> with(list<A...>, list<B...>) {
  return {};
}

/// The route behind a block that has been walked through on its own.
template <class To, std::size_t Block, std::size_t NamesRead, class Slots, class Steps, class Names, class Flow, class Finished,
          class MadeSlots, class MadeSteps, class MadeNames, std::size_t... Out>
constexpr auto joined(route<Slots, Steps, Names, Flow, Finished>, route<MadeSlots, MadeSteps, MadeNames, at_slots<Out...>, at_slots<>>) {
  return route<decltype(with<To, Block>(Slots{}, behind_t<To::count, MadeSlots>{})), decltype(with<To, Block>(Steps{}, MadeSteps{})),
               decltype(with<To, Block>(Names{}, behind_t<NamesRead, MadeNames>{})), at_slots<To::slot(Out)...>, Finished>{};
}

/// The route behind the ops of a block.
template <fixed_string Name, std::size_t Block, class... Op, class Slots, class Steps, class Names, std::size_t... Flow, class Finished>
constexpr auto through_ops(route<Slots, Steps, Names, at_slots<Flow...>, Finished> here) {
  constexpr auto read = slots_read<Op...>(at_slots<Flow...>{}, Names{});
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    using types = list<typename slot_at_t<Slots, read[I]>::type...>;
    using to = renumbered<Slots::size, at_slots<read[I]...>, at_slots<slot_at_t<Slots, read[I]>::root...>>;
    using alone = walked_t<"", types, sizeof...(Flow), Op...>;
    if constexpr (is_untrainable<alone>) {  // again, for a sentence that says where
      return walked_t<Name, types, sizeof...(Flow), Op...>{};
    } else {
      return joined<to, Block, names_read<Op...>.size()>(here, alone{});
    }
  }(std::make_index_sequence<read.size()>{});
}

/// A further branch begins again with what entered the stage.
template <std::size_t Entered, class Slots, class Steps, class Names, std::size_t... Flow, std::size_t... Before>
constexpr auto next_branch(route<Slots, Steps, Names, at_slots<Flow...>, at_slots<Before...>>) {
  return route<Slots, Steps, Names, std::make_index_sequence<Entered>, at_slots<Before..., Flow...>>{};
}

/// A block of the pipeline, before whose stage `Entered` values flow; blocks of other stages and, where one branch is
/// asked for, of other branches are passed by.
template <class P, std::size_t Stage, std::size_t Branch, std::size_t Entered, std::size_t Index, class Block>
struct block_step {};

template <class Slots, class Steps, class Names, class Flow, class Finished, class P, std::size_t Stage,
          std::size_t Branch, std::size_t Entered, std::size_t Index, fixed_string Name, std::size_t Ipu, class... Op>
constexpr auto operator>>(route<Slots, Steps, Names, Flow, Finished> here,
                          block_step<P, Stage, Branch, Entered, Index, block_t<Name, Ipu, Op...>>) {
  constexpr const auto& where = P::placement;
  constexpr bool all = Branch == every_branch;
  if constexpr (where.stage[Index] != Stage || (!all && where.branch[Index] != Branch)) {
    return here;
  } else if constexpr (all && where.starts_branch(Index) && !where.starts_stage(Index)) {
    return through_ops<Name, Index, Op...>(next_branch<Entered>(here));
  } else {
    return through_ops<Name, Index, Op...>(here);
  }
}

}  // namespace ipuflow::nn::walk
