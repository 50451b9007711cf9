// SPDX-License-Identifier: BSL-1.0
// Between types and values: the plan of a stage made from its steps, and the types of slots and layers found by index.
#pragma once

#include <ipuflow/nn/stage/stage_plan.hpp>
#include <ipuflow/nn/stage/stage_steps.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::nn {

/// How the values of a type are computed with: real ones as `Compute`, others as they are.
template <class Type, class Compute>
struct computed;
template <element E, std::size_t... Extent, class Compute>
struct computed<tensor<E, Extent...>, Compute> {
  static constexpr bool rounds = std::is_same_v<E, half> && !std::is_same_v<Compute, half>;
  static constexpr bool real = !std::is_integral_v<E>;
  static constexpr bool single = sizeof...(Extent) == 0;
  using element = std::conditional_t<real, Compute, E>;
  using view = batch<element, shape<Extent...>>;
};
template <element E, class Compute>
struct computed<E, Compute> {
  static constexpr bool rounds = false;
  static constexpr bool real = false;  // a number beside the samples: nothing is learned from it
  static constexpr bool single = false;
  using element = std::conditional_t<std::is_integral_v<E>, E, Compute>;
  using view = batch<element, shape<>>;
};

/// Layers, slots and their views by index.
template <class Steps>
struct step_types;
template <class... Slot, class... Layer, class... In, class... Out, std::size_t... Block, std::size_t... Op,
          std::size_t Entering, class Leaving>
struct step_types<
    stage_steps<walk::list<Slot...>, walk::list<walk::layer_step<Layer, In, Out, Block, Op>...>, Entering, Leaving>> {
  template <std::size_t I>
  using slot_type = typename std::tuple_element_t<I, std::tuple<Slot...>>::type;
  template <std::size_t I, class Compute>
  using batch_of = typename computed<slot_type<I>, Compute>::view;

  template <std::size_t I>
  static constexpr auto layer() {
    return std::tuple_element_t<I, std::tuple<Layer...>>{};
  }
  template <std::size_t I>
  static constexpr auto in() {
    return std::tuple_element_t<I, std::tuple<In...>>{};
  }
  template <std::size_t I>
  static constexpr auto out() {
    return std::tuple_element_t<I, std::tuple<Out...>>{};
  }
  template <std::size_t I>
  static constexpr bool real() {
    return computed<slot_type<I>, float>::real;
  }

  /// Whether what is computed must be rounded to what the tensor can hold.
  template <std::size_t I, class Compute>
  static constexpr bool rounds() {
    return computed<slot_type<I>, Compute>::rounds;
  }

  /// Whoever has state or parameters has `initialise`.
  template <std::size_t I, class T>
  static constexpr void initialise(std::uint64_t seed, T* values, T* state) {
    using layer_type = std::tuple_element_t<I, std::tuple<Layer...>>;
    [&]<std::size_t First, std::size_t... Rest>(walk::at_slots<First, Rest...>) {
      if constexpr (requires { initialise_layer(layer_type{}, slot_type<First>{}, seed, values, state); }) {
        initialise_layer(layer_type{}, slot_type<First>{}, seed, values, state);
      }
    }(in<I>());
  }
};

/// Names that the pipeline is given values for: nothing is learned from them.
template <class T, fixed_string... Name, class... N>
constexpr bool is_declared(flow::point<T, named<Name, N>...>, std::string_view name) {
  return ((Name.view() == name) || ...);
}

/// For each value of a message, whether a gradient of it goes back.
template <class P, class... T, fixed_string... Name, class... N, class List>
constexpr void mark_travelling(flow::point<values<T...>, named<Name, N>...>, List& travels) {
  ((void(sizeof(T)), travels.push_back(computed<T, float>::real)), ...);
  (travels.push_back(computed<N, float>::real && !is_declared(typename P::start{}, Name.view())), ...);
}

namespace detail {

template <std::size_t... I>
constexpr slot_list numbers(std::index_sequence<I...>) {
  return {{I...}, sizeof...(I)};
}

template <class Compute, class... Slot, class Layer, std::size_t... In, class Out, std::size_t Block, std::size_t Op>
constexpr step_plan plan_of(walk::list<Slot...>, walk::layer_step<Layer, std::index_sequence<In...>, Out, Block, Op>) {
  using slots = walk::list<Slot...>;
  step_plan plan{.facts = facts(Layer{}, typename walk::slot_at_t<slots, In>::type{}...),
                 .in = {{In...}, sizeof...(In)},
                 .out = numbers(Out{}),
                 .block = Block,
                 .op = Op};
  return plan;
}

template <class Type, std::size_t Root, class Compute>
constexpr slot_plan plan_of(walk::value_slot<Type, Root>, std::size_t index) {
  using how = computed<Type, Compute>;
  return {.elements = how::view::elements,
          .element_bytes = sizeof(lanes<typename how::element>) / lane_count,
          .real = how::real,
          .single = how::single,
          .root = Root,
          .gradient_root = index};
}

}  // namespace detail

/// The plan of a stage whose steps are known.
template <class P, std::size_t Stage, class Compute, std::size_t Branch, class... Slot, class... Step,
          std::size_t Entering, std::size_t... Leaving>
constexpr auto plan_for(
    stage_steps<walk::list<Slot...>, walk::list<Step...>, Entering, std::index_sequence<Leaving...>>) {
  stage_plan<sizeof...(Slot), sizeof...(Step)> plan;
  (plan.slots.push_back(detail::plan_of<typename Slot::type, Slot::root, Compute>(Slot{}, plan.slots.size())), ...);
  (plan.steps.push_back(detail::plan_of<Compute>(walk::list<Slot...>{}, Step{})), ...);
  plan.entering = Entering;
  plan.leaving = {{Leaving...}, sizeof...(Leaving)};
  bounded_vector<bool, sizeof...(Slot)> entering;
  bounded_vector<bool, std::tuple_size_v<stage_output<P, Stage>>> leaving;
  mark_travelling<P>(typename flow::entry<P, Stage>::type{}, entering);
  mark_travelling<P>(typename flow::entry<P, Stage>::exit{}, leaving);
  for (std::size_t i = 0; i < Entering; ++i) {
    plan.slots[i].has_gradient = plan.slots[i].travels_back = Stage > 0 && entering[i];
  }
  for (std::size_t i = 0; i < sizeof...(Leaving); ++i) {
    plan.slots[plan.leaving[i]].travels_back = leaving[exit_positions<P, Stage, Branch>[i]];
  }
  plan_forward(plan);
  plan_backward(plan);
  plan_memory(plan);
  plan_segments(plan);
  return plan;
}

/// The plan of a stage, or of one of its branches.
template <class P, std::size_t Stage, class Compute, std::size_t Branch = every_branch>
inline constexpr auto planned =
    plan_for<std::remove_cvref_t<P>, Stage, Compute, Branch>(steps_of_stage<std::remove_cvref_t<P>, Stage, Branch>{});

}  // namespace ipuflow::nn
