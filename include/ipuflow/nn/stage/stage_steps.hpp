// SPDX-License-Identifier: BSL-1.0
// The steps of one stage of a pipeline. What enters is in the first slots, in the order of `stage_input`; what leaves
// is a list of slots in the order of `stage_output`. What cannot be written where it leaves, because it entered the
// stage or leaves twice, is copied by a last step.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/graph/flow/run_stage.hpp>
#include <ipuflow/nn/stage/block_walk.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// `Slots` is a walk::list of walk::value_slot, `Steps` one of walk::layer_step, `Leaving` the indices of slots.
template <class Slots, class Steps, std::size_t Entering, class Leaving>
struct stage_steps {};

}  // namespace impl

namespace walk {

/// The slots of what enters a stage: first what flows, then what has a name.
template <class... T, fixed_string... Name, class... N, std::size_t... I, std::size_t... J>
constexpr auto start_of(flow::point<values<T...>, named<Name, N>...>, std::index_sequence<I...>, std::index_sequence<J...>) {
  return route<list<value_slot<T, I>..., value_slot<N, J>...>, list<>, list<named_slot<Name, J>...>, at_slots<I...>, at_slots<>>{};
}
template <class... T, class... N>
constexpr auto start_of(flow::point<values<T...>, N...> entry) {
  constexpr auto named_ones = counted_from<sizeof...(T)>(std::index_sequence_for<N...>{});
  return start_of(entry, std::index_sequence_for<T...>{}, named_ones);
}

template <class Part, class P, class Index = std::make_index_sequence<P::block_count>>
struct end_of;
template <class Part, auto Where, class Start, class... Block, std::size_t... Index>
struct end_of<Part, pipeline_t<Start, Where, Block...>, std::index_sequence<Index...>> {
  using type = decltype((start_of(typename Part::entry{}) >> ... >> block_step<Part, Index, Block>{}));
};

/// The route at the end of a part; `untrainable` if an op has no kernels.
template <class P, std::size_t Stage, std::size_t Branch>
using route_of = typename end_of<stage_part<P, Stage, Branch>, std::remove_const_t<P>>::type;

/// A value that leaves a part: its slot, before anything is copied, and its place in stage_output.
struct leaving_value {
  std::size_t slot = 0;
  std::size_t position = 0;
};

template <class Flow, class... N>
constexpr std::size_t names_in(flow::point<Flow, N...>) {
  return sizeof...(N);
}

/// True if a named value leaves with a part: it was kept there or, of those that entered the stage, which come first, the
/// first branch passes it on.
template <class Part, fixed_string Name, fixed_string... Known, std::size_t... Slot>
constexpr bool leaves_with(list<named_slot<Known, Slot>...>) {
  constexpr bool passes_on = Part::branch == 0 || Part::branch == every_branch;
  std::size_t place = 0;
  std::size_t found = sizeof...(Known);
  ((found = Known == Name ? place : found, ++place), ...);
  return found < sizeof...(Known) && (passes_on || found >= names_in(typename Part::entry{}));
}

/// The values that leave in front of the names: `before` flow out of the branches before this one.
template <std::size_t... Slot, class Values>
constexpr void add_flow(at_slots<Slot...>, std::size_t before, Values& all) {
  (all.push_back({Slot, before + all.size()}), ...);
}

template <class Part, class Route, class... T, fixed_string... Name, class... N>
constexpr auto leaving_of(flow::point<values<T...>, named<Name, N>...>, std::size_t before) {
  bounded_vector<leaving_value, sizeof...(T) + sizeof...(N)> all;
  add_flow(joined(typename Route::finished{}, typename Route::flow{}), before, all);
  using names = typename Route::names;
  std::size_t at = sizeof...(T);
  ((leaves_with<Part, Name>(names{}) ? all.push_back({slot_named(Name, names{}), at}) : void(), ++at), ...);
  return all;
}

template <class P, std::size_t Stage, std::size_t Branch>
inline constexpr auto leaving = [] {
  using part = stage_part<P, Stage, Branch>;
  return []<std::size_t... Earlier>(std::index_sequence<Earlier...>) {
    return leaving_of<part, route_of<P, Stage, Branch>>(typename part::exit{},
                                                        (std::size_t{0} + ... + route_of<P, Stage, Earlier>::flow::size()));
  }(std::make_index_sequence < Branch == every_branch ? 0 : Branch > {});
}();

/// A route out of which the slots `Gone` have left; its first `Entered` slots are what entered the stage.
template <std::size_t Entered, class Route, class Gone>
struct exits {
  using steps = impl::stage_steps<typename Route::slots, typename Route::steps, Entered, Gone>;
};
template <std::size_t Slot>
struct leave {};

/// True if a value may be written where it leaves: it was made here, and leaves nowhere else.
template <class Slots, std::size_t Entered, std::size_t Slot, std::size_t... Gone>
inline constexpr bool leaves_in_place =
    slot_at_t<Slots, Slot>::root >= Entered && ((slot_at_t<Slots, Slot>::root != slot_at_t<Slots, Gone>::root) && ...);

template <std::size_t Entered, class Route, std::size_t... Gone, std::size_t Slot>
constexpr auto operator>>(exits<Entered, Route, at_slots<Gone...>>, leave<Slot>) {
  if constexpr (leaves_in_place<typename Route::slots, Entered, Slot, Gone...>) {
    return exits<Entered, Route, at_slots<Gone..., Slot>>{};
  } else {
    constexpr layer_site in_no_block{.block = static_cast<std::size_t>(-1)};
    using copied = decltype(through<copy_t, in_no_block>(Route{}, at_slots<Slot>{}));
    return exits<Entered, copied, at_slots<Gone..., Route::slots::size>>{};
  }
}

template <class P, std::size_t Stage, std::size_t Branch>
constexpr auto steps_of() {
  using route_type = route_of<P, Stage, Branch>;
  if constexpr (is_untrainable<route_type>) {
    return route_type{};
  } else {
    constexpr std::size_t entered = std::tuple_size_v<stage_input<P, Stage>>;
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return typename decltype((exits<entered, route_type, at_slots<>>{} >> ... >> leave<leaving<P, Stage, Branch>[I].slot>{}))::steps{};
    }(std::make_index_sequence<leaving<P, Stage, Branch>.size()>{});
  }
}

}  // namespace walk

namespace impl {

/// The steps of stage `Stage` of pipeline `P`, or of one of its branches; walk::untrainable if an op has no kernels.
template <class P, std::size_t Stage, std::size_t Branch = every_branch>
using steps_of_stage = decltype(walk::steps_of<P, Stage, Branch>());

}  // namespace impl

/// The place in stage_output of each value that leaves a branch.
template <class P, std::size_t Stage, std::size_t Branch = every_branch>
inline constexpr auto exit_positions = [] {
  bounded_vector<std::size_t, walk::leaving<P, Stage, Branch>.capacity()> all;
  for (const walk::leaving_value& value : walk::leaving<P, Stage, Branch>) all.push_back(value.position);
  return all;
}();

namespace impl {

/// The fault that keeps a stage from being trained.
template <class Steps>
inline constexpr nn_fault fault_in_steps{};
template <nn_fault Found>
inline constexpr nn_fault fault_in_steps<walk::untrainable<Found>> = Found;

}  // namespace impl

}  // namespace ipuflow::nn
