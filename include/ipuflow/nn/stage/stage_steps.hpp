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

template <class... T, fixed_string... Name, class... N, std::size_t... I, std::size_t... J>
constexpr auto start_of(flow::point<values<T...>, named<Name, N>...>, std::index_sequence<I...>,
                        std::index_sequence<J...>) {
  constexpr std::size_t flows = sizeof...(T);
  return route<list<value_slot<T, I>..., value_slot<N, flows + J>...>, list<>, list<named_slot<Name, flows + J>...>,
               at_slots<I...>, at_slots<>>{};
}

/// True if a value may be written where it leaves: it was made here, and leaves nowhere else.
template <std::size_t Entered, class Slots, std::size_t Index, std::size_t... Gone>
inline constexpr bool leaves_in_place = slot_at_t<Slots, Index>::root >= Entered &&
                                        ((slot_at_t<Slots, Index>::root != slot_at_t<Slots, Gone>::root) && ...);

template <std::size_t Entered, class Slots, class Steps, class Names, class Flow, class Finished, std::size_t... Gone>
constexpr auto left(route<Slots, Steps, Names, Flow, Finished>, at_slots<Gone...>, at_slots<>) {
  return impl::stage_steps<Slots, Steps, Entered, at_slots<Gone...>>{};
}
template <std::size_t Entered, class Slots, class Steps, class Names, class Flow, class Finished, std::size_t... Gone,
          std::size_t Next, std::size_t... Rest>
constexpr auto left(route<Slots, Steps, Names, Flow, Finished> here, at_slots<Gone...>, at_slots<Next, Rest...>) {
  if constexpr (leaves_in_place<Entered, Slots, Next, Gone...>) {
    return left<Entered>(here, at_slots<Gone..., Next>{}, at_slots<Rest...>{});
  } else {
    constexpr std::size_t no_block = static_cast<std::size_t>(-1);
    return left<Entered>(through<copy_t, no_block, 0>(here, at_slots<Next>{}), at_slots<Gone..., Slots::size>{},
                         at_slots<Rest...>{});
  }
}

/// The number of values that flow at the end of a route.
template <class Route>
inline constexpr std::size_t flowing = 0;
template <class Slots, class Steps, class Names, std::size_t... Flow, class Finished>
inline constexpr std::size_t flowing<route<Slots, Steps, Names, at_slots<Flow...>, Finished>> = sizeof...(Flow);

/// True if a named value leaves with a branch: it was kept there or, of those that entered the stage, which come
/// first, the first branch passes it on.
template <std::size_t Branch, std::size_t Entered, fixed_string Name, fixed_string... Known, std::size_t... Slot>
constexpr bool leaves_with(list<named_slot<Known, Slot>...>) {
  std::size_t place = 0;
  std::size_t found = sizeof...(Known);
  ((found = Known == Name ? place : found, ++place), ...);
  return found < sizeof...(Known) && (found >= Entered || Branch == 0 || Branch == every_branch);
}

/// The slots that leave, before anything is copied. `Entered`: how many named values entered the stage.
template <std::size_t Branch, std::size_t Entered, class Slots, class Steps, class Names, std::size_t... Flow,
          std::size_t... Before, class T, fixed_string... Name, class... N>
constexpr auto leaving(route<Slots, Steps, Names, at_slots<Flow...>, at_slots<Before...>>,
                       flow::point<T, named<Name, N>...>) {
  constexpr std::size_t flows = sizeof...(Before) + sizeof...(Flow);
  bounded_vector<std::size_t, flows + sizeof...(Name)> all{{Before..., Flow...}, flows};
  ((leaves_with<Branch, Entered, Name>(Names{}) ? all.push_back(slot_named(Name, Names{})) : void()), ...);
  return all;
}

/// The places of these in stage_output: `before` values flow out of the branches before this one.
template <std::size_t Branch, std::size_t Entered, class Slots, class Steps, class Names, std::size_t... Flow,
          std::size_t... Before, class... T, fixed_string... Name, class... N>
constexpr auto positions(route<Slots, Steps, Names, at_slots<Flow...>, at_slots<Before...>>,
                         flow::point<values<T...>, named<Name, N>...>, std::size_t before) {
  bounded_vector<std::size_t, sizeof...(T) + sizeof...(N)> all;
  for (std::size_t i = 0; i < sizeof...(Before) + sizeof...(Flow); ++i) all.push_back(before + i);
  std::size_t at = sizeof...(T);
  ((leaves_with<Branch, Entered, Name>(Names{}) ? all.push_back(at) : void(), ++at), ...);
  return all;
}

template <std::size_t Stage, std::size_t Branch, class Start, auto Where, class... Block, class... T, class... N,
          std::size_t... Index>
constexpr auto end_of(const pipeline_t<Start, Where, Block...>*, flow::point<values<T...>, N...> entry,
                      std::index_sequence<Index...>) {
  using pipe = pipeline_t<Start, Where, Block...>;
  constexpr auto start = start_of(entry, std::index_sequence_for<T...>{}, std::index_sequence_for<N...>{});
  return (start >> ... >> block_step<pipe, Stage, Branch, sizeof...(T), Index, Block>{});
}

/// The route at the end of a stage, or of one of its branches; walk::untrainable if an op has no kernels.
template <class P, std::size_t Stage, std::size_t Branch>
using route_of = decltype(end_of<Stage, Branch>(static_cast<const P*>(nullptr), typename flow::entry<P, Stage>::type{},
                                                std::make_index_sequence<P::block_count>{}));

template <class Flow, class... N>
constexpr std::size_t named_in(flow::point<Flow, N...>) {
  return sizeof...(N);
}

template <class P, std::size_t Stage>
inline constexpr std::size_t names_entered = named_in(typename flow::entry<P, Stage>::type{});

template <class P, std::size_t Stage, std::size_t Branch>
inline constexpr auto leaving_slots =
    leaving<Branch, names_entered<P, Stage>>(route_of<P, Stage, Branch>{}, typename flow::entry<P, Stage>::exit{});

template <class P, std::size_t Stage, std::size_t Branch>
constexpr auto steps_of() {
  using route_type = route_of<P, Stage, Branch>;
  if constexpr (is_untrainable<route_type>) {
    return route_type{};
  } else {
    constexpr std::size_t entered = std::tuple_size_v<stage_input<P, Stage>>;
    constexpr auto count = leaving_slots<P, Stage, Branch>.size();
    return [&]<std::size_t... Leaving>(std::index_sequence<Leaving...>) {
      return left<entered>(route_type{}, at_slots<>{}, at_slots<leaving_slots<P, Stage, Branch>[Leaving]...>{});
    }(std::make_index_sequence<count>{});
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
  return []<std::size_t... Earlier>(std::index_sequence<Earlier...>) {
    return walk::positions<Branch, walk::names_entered<P, Stage>>(
        walk::route_of<P, Stage, Branch>{}, typename flow::entry<P, Stage>::exit{},
        (std::size_t{0} + ... + walk::flowing<walk::route_of<P, Stage, Earlier>>));
  }(std::make_index_sequence < Branch == every_branch ? 0 : Branch > {});
}();

namespace impl {

/// The fault that keeps a stage from being trained.
template <class Steps>
inline constexpr nn_fault fault_in_steps{};
template <nn_fault Found>
inline constexpr nn_fault fault_in_steps<walk::untrainable<Found>> = Found;

}  // namespace impl

}  // namespace ipuflow::nn
