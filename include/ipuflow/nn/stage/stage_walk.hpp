// SPDX-License-Identifier: BSL-1.0
// The walk over ops, `route >> op >> op ...`, a fold whose state is a type: which layer reads which slots and writes which.
// A slot is one value of a stage. `keep`, `set_aside` and `use` leave no step behind, only slots read more than once.
#pragma once

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
struct route {
  using slots = Slots;
  using steps = Steps;
  using names = Names;
  using flow = Flow;
  using finished = Finished;

  template <class Types>
  using with_names = route<Slots, Steps, Types, Flow, Finished>;
  template <class At>
  using flowing = route<Slots, Steps, Names, At, Finished>;
};

/// The place of a layer in the pipeline.
struct layer_site {
  fixed_string<60> name{};  ///< of its block
  std::size_t block = 0;
  std::size_t op = 0;
};

/// The step through one layer.
template <layer_site At, class Op>
struct layer_at {};

template <class... T, class... Other>
constexpr list<T..., Other...> joined(list<T...>, list<Other...>) {
  return {};
}
template <std::size_t... I, std::size_t... Other>
constexpr at_slots<I..., Other...> joined(at_slots<I...>, at_slots<Other...>) {
  return {};
}

template <class... T>
constexpr list<T...> listed(values<T...>) {
  return {};
}

template <fixed_string... Name, std::size_t... Slot>
constexpr list<named_slot<Name, Slot>...> named_slots(at_slots<Slot...>) {
  return {};
}

/// True if an op is a layer of values of these types.
template <class Op, class Reads>
inline constexpr bool is_layer_of = false;
template <class Op, class... T>
inline constexpr bool is_layer_of<Op, list<T...>> = layer<Op, T...>;

/// The slots of values that are made behind others; the first may be in the memory of slot `First`.
template <bool SameMemory, std::size_t First, class... Slot, class... T, std::size_t... I>
constexpr list<Slot..., value_slot<T, (SameMemory && I == 0 ? First : sizeof...(Slot) + I)>...> with_slots(
    list<Slot...>, values<T...>, std::index_sequence<I...>) {
  return {};
}

template <std::size_t First, std::size_t... I>
constexpr at_slots<(First + I)...> counted_from(std::index_sequence<I...>) {
  return {};
}

/// The route behind a layer that reads slots `In`.
template <class Layer, layer_site At, class Route, std::size_t... In>
constexpr auto through(Route, at_slots<In...>) {
  using slots = typename Route::slots;
  using made = result_of<Layer, typename slot_at_t<slots, In>::type...>;
  constexpr layer_facts known = facts(Layer{}, typename slot_at_t<slots, In>::type{}...);
  constexpr auto each = std::make_index_sequence<made::count>{};
  constexpr std::size_t root[] = {slot_at_t<slots, In>::root..., 0};
  using out = decltype(counted_from<slots::size>(each));
  using after = decltype(with_slots<known.same_memory, root[0]>(slots{}, made{}, each));
  using step = layer_step<Layer, at_slots<In...>, out, types_at_t<slots, at_slots<In...>>, decltype(listed(made{})), At.block, At.op>;
  using steps = decltype(joined(typename Route::steps{}, list<step>{}));
  return route<after, steps, typename Route::names, out, typename Route::finished>{};
}

/// The state of a walk that met an op that cannot be trained; it stays there.
template <nn_fault Found>
struct untrainable {
  using flow = at_slots<>;
};

template <class Route>
inline constexpr bool is_untrainable = false;
template <nn_fault Found>
inline constexpr bool is_untrainable<untrainable<Found>> = true;

template <nn_fault Found, class Anything>
constexpr untrainable<Found> operator>>(untrainable<Found> here, Anything) {
  return here;
}

template <class... State, layer_site At, class Op>
constexpr auto operator>>(route<State...> here, layer_at<At, Op>) {
  using at = route<State...>;
  constexpr bool known = is_layer_of<Op, types_at_t<typename at::slots, typename at::flow>>;
  if constexpr (known && std::is_empty_v<Op>) {  // kernels are handed one that is made anew
    return through<Op, At>(here, typename at::flow{});
  } else {
    constexpr nn_wrong kind = known ? nn_wrong::layer_with_members : nn_wrong::not_a_layer;
    return untrainable<nn_fault{.kind = kind, .where = {At.name, At.op, type_name<Op>()}}>{};
  }
}

template <class... State, layer_site At, class Op, fixed_string... Name>
constexpr auto operator>>(route<State...>, layer_at<At, use_t<Op, Name...>>) {
  using at = route<State...>;
  using used = at_slots<slot_named(Name, typename at::names{})...>;
  using reads = decltype(joined(typename at::flow{}, used{}));
  return typename at::template flowing<reads>{} >> layer_at<At, Op>{};
}

template <class... State, layer_site At, fixed_string... Name>
constexpr auto operator>>(route<State...>, layer_at<At, keep_t<Name...>>) {
  using at = route<State...>;
  using kept = decltype(named_slots<Name...>(typename at::flow{}));
  return typename at::template with_names<decltype(joined(typename at::names{}, kept{}))>{};
}

template <class... State, layer_site At, fixed_string... Name>
constexpr auto operator>>(route<State...> here, layer_at<At, set_aside_t<Name...>>) {
  using kept = decltype(here >> layer_at<At, keep_t<Name...>>{});
  return typename kept::template flowing<at_slots<>>{};
}

}  // namespace ipuflow::nn::walk
