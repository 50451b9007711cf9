// SPDX-License-Identifier: BSL-1.0
// The walk over the ops of one stage, `route >> block >> block ...`, a fold whose state is a type: which layer reads
// which slots and writes which. A slot is one value of the stage. `keep` and `use` leave no step behind, only slots
// read more than once. The ops of a block are walked on a route of their own, from the values that the block reads: equal
// blocks between equal types have one such route, whose slots are then renumbered.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/graph/pipeline.hpp>
#include <ipuflow/nn/layers/copy.hpp>
#include <ipuflow/nn/nn_fault.hpp>

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::nn {

/// Stands for the whole of a stage where one of its concurrent branches could be meant.
inline constexpr std::size_t every_branch = static_cast<std::size_t>(-1);

}  // namespace ipuflow::nn

namespace ipuflow::nn::walk {

template <class... T>
struct list {
  static constexpr std::size_t size = sizeof...(T);
};

template <std::size_t... I>
using at_slots = std::index_sequence<I...>;

/// A value of type `Type`, whose memory is that of slot `Root`.
template <class Type, std::size_t Root>
struct value_slot {
  using type = Type;
  static constexpr std::size_t root = Root;
};

template <class Slots, std::size_t Index>
struct slot_at;
template <class... Slot, std::size_t Index>
struct slot_at<list<Slot...>, Index> : std::tuple_element<Index, std::tuple<Slot...>> {};
template <class Slots, std::size_t Index>
using slot_at_t = typename slot_at<Slots, Index>::type;

/// The types of the values at some slots.
template <class Slots, class At>
struct types_at;
template <class Slots, std::size_t... I>
struct types_at<Slots, at_slots<I...>> {
  using type = list<typename slot_at_t<Slots, I>::type...>;
};
template <class Slots, class At>
using types_at_t = typename types_at<Slots, At>::type;

template <class First, class... Rest>
constexpr First first_of(list<First, Rest...>) {
  return {};
}

template <fixed_string Name, std::size_t Slot>
struct named_slot {};

template <fixed_string... Known, std::size_t... Slot>
constexpr std::size_t slot_named([[maybe_unused]] std::string_view name, list<named_slot<Known, Slot>...>) {
  std::size_t found = 0;
  ((found = Known.view() == name ? Slot : found), ...);
  return found;
}

/// A layer between slots, which hold values of types `Reads` and `Makes`. Block and op say where it stands in the pipeline,
/// wherever its stage begins.
template <class Layer, class In, class Out, class Reads, class Makes, std::size_t Block, std::size_t Op>
struct layer_step {};

/// The state of the walk: slots, steps, named slots, what flows, and what came out of finished branches.
template <class Slots, class Steps, class Names, class Flow, class Finished>
struct route {};

namespace detail {

template <bool SameMemory, std::size_t First, class... Slot, class... T, std::size_t... I>
constexpr auto with_slots(list<Slot...>, values<T...>, std::index_sequence<I...>) {
  constexpr std::size_t next = sizeof...(Slot);
  return list<Slot..., value_slot<T, (SameMemory && I == 0 ? First : next + I)>...>{};
}

template <class... T>
constexpr list<T...> listed(values<T...>) {
  return {};
}

template <std::size_t First, std::size_t... I>
constexpr at_slots<(First + I)...> counted_from(std::index_sequence<I...>) {
  return {};
}

/// A further branch begins again with what entered the stage.
template <std::size_t Entered, class Slots, class Steps, class Names, std::size_t... Flow, std::size_t... Before>
constexpr auto next_branch(route<Slots, Steps, Names, at_slots<Flow...>, at_slots<Before...>>) {
  return route<Slots, Steps, Names, std::make_index_sequence<Entered>, at_slots<Before..., Flow...>>{};
}

}  // namespace detail

/// The route behind a layer that reads slots `In`.
template <class Layer, std::size_t Block, std::size_t Op, class Slots, class... Step, class Names, class Flow,
          class Finished, std::size_t... In>
constexpr auto through(route<Slots, list<Step...>, Names, Flow, Finished>, at_slots<In...>) {
  using made = result_of<Layer, typename slot_at_t<Slots, In>::type...>;
  constexpr layer_facts known = facts(Layer{}, typename slot_at_t<Slots, In>::type{}...);
  constexpr auto each = std::make_index_sequence<made::count>{};
  constexpr std::size_t root[] = {slot_at_t<Slots, In>::root..., 0};
  using out = decltype(detail::counted_from<Slots::size>(each));
  using after = decltype(detail::with_slots<known.same_memory, root[0]>(Slots{}, made{}, each));
  using step = layer_step<Layer, at_slots<In...>, out, list<typename slot_at_t<Slots, In>::type...>, decltype(detail::listed(made{})), Block, Op>;
  return route<after, list<Step..., step>, Names, out, Finished>{};
}

template <fixed_string Block, std::size_t BlockIndex, std::size_t OpIndex, class Op>
struct layer_at {};

/// The state of a walk that met an op that cannot be trained; it stays there.
template <nn_fault Found>
struct untrainable {};

template <class Route>
inline constexpr bool is_untrainable = false;
template <nn_fault Found>
inline constexpr bool is_untrainable<untrainable<Found>> = true;

template <nn_fault Found, class Anything>
constexpr untrainable<Found> operator>>(untrainable<Found> here, Anything) {
  return here;
}

template <class Slots, class Steps, class Names, std::size_t... Flow, class Finished, fixed_string Block, std::size_t B,
          std::size_t I, class Op>
constexpr auto operator>>(route<Slots, Steps, Names, at_slots<Flow...>, Finished> here, layer_at<Block, B, I, Op>) {
  if constexpr (layer<Op, typename slot_at_t<Slots, Flow>::type...>) {
    return through<Op, B, I>(here, at_slots<Flow...>{});
  } else {
    return untrainable<nn_fault{.kind = nn_wrong::not_a_layer, .where = {fixed_string<60>{Block.view()}, I, type_name<Op>()}}>{};
  }
}

template <class Slots, class Steps, class Names, std::size_t... Flow, class Finished, fixed_string Block, std::size_t B,
          std::size_t I, class Op, fixed_string... Name>
constexpr auto operator>>(route<Slots, Steps, Names, at_slots<Flow...>, Finished>,
                          layer_at<Block, B, I, use_t<Op, Name...>>) {
  using reads = at_slots<Flow..., slot_named(Name, Names{})...>;
  return route<Slots, Steps, Names, reads, Finished>{} >> layer_at<Block, B, I, Op>{};
}

template <class Slots, class Steps, class... Named, std::size_t... Flow, class Finished, fixed_string Block,
          std::size_t B, std::size_t I, fixed_string... Name>
constexpr auto operator>>(route<Slots, Steps, list<Named...>, at_slots<Flow...>, Finished>,
                          layer_at<Block, B, I, keep_t<Name...>>) {
  return route<Slots, Steps, list<Named..., named_slot<Name, Flow>...>, at_slots<Flow...>, Finished>{};
}

namespace detail {

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
template <class To, std::size_t Block, std::size_t NamesRead, class Slots, class Steps, class Names, class Flow, class Finished, class MadeSlots, class MadeSteps,
          class MadeNames, std::size_t... Out>
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

}  // namespace detail

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
    return detail::through_ops<Name, Index, Op...>(detail::next_branch<Entered>(here));
  } else {
    return detail::through_ops<Name, Index, Op...>(here);
  }
}

}  // namespace ipuflow::nn::walk
