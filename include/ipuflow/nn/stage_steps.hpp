// SPDX-License-Identifier: BSL-1.0
// The steps of one stage of a pipeline. What enters is in the first slots, in the order of `stage_input`; what leaves
// is a list of slots in the order of `stage_output`. What cannot be written where it leaves, because it entered the
// stage or leaves twice, is copied by a last step.
#pragma once

#include <ipuflow/graph/call_stage.hpp>
#include <ipuflow/nn/stage_walk.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::nn {

/// `Slots` is a walk::list of walk::slot, `Steps` one of walk::step, `Leaving` the indices of slots.
template <class Slots, class Steps, std::size_t Entering, class Leaving>
struct stage_steps {};

namespace walk {

template <class... T, fixed_string... Name, class... N, std::size_t... I, std::size_t... J>
constexpr auto start_of(flow::point<values<T...>, named<Name, N>...>, std::index_sequence<I...>,
                        std::index_sequence<J...>) {
  constexpr std::size_t flows = sizeof...(T);
  return route<list<slot<T, I>..., slot<N, flows + J>...>, list<>, list<named_slot<Name, flows + J>...>, at_slots<I...>,
               at_slots<>>{};
}

/// Whether a value may be written where it leaves: it was made here, and leaves nowhere else.
template <std::size_t Entered, class Slots, std::size_t Index, std::size_t... Gone>
inline constexpr bool leaves_in_place = slot_at_t<Slots, Index>::root >= Entered &&
                                        ((slot_at_t<Slots, Index>::root != slot_at_t<Slots, Gone>::root) && ...);

template <std::size_t Entered, class Slots, class Steps, class Names, class Flow, class Finished, std::size_t... Gone>
constexpr auto left(route<Slots, Steps, Names, Flow, Finished>, at_slots<Gone...>, at_slots<>) {
  return stage_steps<Slots, Steps, Entered, at_slots<Gone...>>{};
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

template <class Route>
inline constexpr bool is_stuck = false;
template <nn_fault Found>
inline constexpr bool is_stuck<stuck<Found>> = true;

/// The slots that leave, before anything is copied.
template <class Slots, class Steps, class Names, std::size_t... Flow, std::size_t... Before, class T,
          fixed_string... Name, class... N>
constexpr auto leaving(route<Slots, Steps, Names, at_slots<Flow...>, at_slots<Before...>>,
                       flow::point<T, named<Name, N>...>) {
  return at_slots<Before..., Flow..., slot_named<Name>(Names{})...>{};
}

template <std::size_t Stage, class Start, auto Where, class... Block, class... T, class... N, std::size_t... Index>
constexpr auto steps_of(const pipeline_t<Start, Where, Block...>*, flow::point<values<T...>, N...> entry,
                        std::index_sequence<Index...>) {
  using pipe = pipeline_t<Start, Where, Block...>;
  constexpr auto start = start_of(entry, std::index_sequence_for<T...>{}, std::index_sequence_for<N...>{});
  constexpr auto end = (start >> ... >> block_step<pipe, Stage, sizeof...(T), Index, Block>{});
  if constexpr (is_stuck<std::remove_const_t<decltype(end)>>) {
    return end;
  } else {
    constexpr auto exit = leaving(end, typename flow::entry<pipe, Stage>::exit{});
    return left<sizeof...(T) + sizeof...(N)>(end, at_slots<>{}, exit);
  }
}

}  // namespace walk

/// The steps of stage `Stage` of pipeline `P`; walk::stuck if an op has no kernels.
template <class P, std::size_t Stage>
using steps_of_stage =
    decltype(walk::steps_of<Stage>(static_cast<const P*>(nullptr), typename flow::entry<P, Stage>::type{},
                                   std::make_index_sequence<P::block_count>{}));

/// What keeps a stage from being trained.
template <class Steps>
inline constexpr nn_fault fault_in_steps{};
template <nn_fault Found>
inline constexpr nn_fault fault_in_steps<walk::stuck<Found>> = Found;

}  // namespace ipuflow::nn
