// SPDX-License-Identifier: BSL-1.0
// Between types and values: the plan of a stage, made from its steps.
// The same plan serves the host and tiles.
#pragma once

#include <ipuflow/nn/stage/slot_types.hpp>
#include <ipuflow/nn/stage/stage_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::nn {

namespace impl {

template <class Layer, class... Reads>
constexpr layer_facts facts_between(walk::list<Reads...>) {
  return facts(Layer{}, Reads{}...);
}
/// The facts of a layer that reads these types, asked for once.
template <class Layer, class Reads>
inline constexpr layer_facts facts_of = facts_between<Layer>(Reads{});

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

}  // namespace impl

namespace detail {

template <std::size_t... I>
constexpr impl::slot_list numbers(std::index_sequence<I...>) {
  return {{I...}, sizeof...(I)};
}

template <class Layer, class In, class Out, class Reads, class Makes, std::size_t Block, std::size_t Op>
constexpr impl::step_plan plan_of(walk::layer_step<Layer, In, Out, Reads, Makes, Block, Op>) {
  return {.facts = impl::facts_of<Layer, Reads>,
          .in = numbers(In{}),
          .out = numbers(Out{}),
          .block = Block,
          .op = Op,
          .whole_block = Block,
          .whole_op = Op};
}

template <class Type, class Compute>
inline constexpr slot_plan slot_of{.elements = computed<Type, Compute>::view::elements,
                                   .positions = impl::positions_in<typename computed<Type, Compute>::view::shape_type>,
                                   .element_bytes = sizeof(lanes<typename computed<Type, Compute>::element>) / lane_count,
                                   .real = computed<Type, Compute>::real,
                                   .single = computed<Type, Compute>::single,
                                   .rounds = computed<Type, Compute>::rounds};

/// Lists instead of folds: clang nests at most 256 expressions, and a long stage has more values.
template <class Compute, class Plan, class... Slot, class... Step>
constexpr void add_all(Plan& plan, walk::list<Slot...>, walk::list<Step...>) {
  for (const slot_plan& slot : {slot_of<typename Slot::type, Compute>...}) plan.slots.push_back(slot);
  const std::size_t roots[]{Slot::root...};
  for (std::size_t i = 0; i < sizeof...(Slot); ++i) {
    plan.slots[i].root = roots[i];
    plan.slots[i].gradient_root = i;
  }
  for (const impl::step_plan& step : {plan_of(Step{})...}) plan.steps.push_back(step);
}

}  // namespace detail

namespace impl {

/// The plan of a stage whose steps are known.
template <class P, std::size_t Stage, class Compute, std::size_t Branch, class... Slot, class... Step,
          std::size_t Entering, std::size_t... Leaving>
constexpr auto plan_for(
    stage_steps<walk::list<Slot...>, walk::list<Step...>, Entering, std::index_sequence<Leaving...>>) {
  stage_plan<sizeof...(Slot), sizeof...(Step)> plan;
  detail::add_all<Compute>(plan, walk::list<Slot...>{}, walk::list<Step...>{});
  for (step_plan& step : plan.steps) {
    if (step.block >= P::block_count) continue;  // a copy
    const block_origin& origin = P::origin_of(step.block);
    step.whole_block = origin.number;
    step.whole_op = origin.first_op + step.op;
  }
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

}  // namespace impl

/// The plan of a stage, or of one of its branches.
template <class P, std::size_t Stage, class Compute, std::size_t Branch = every_branch>
inline constexpr auto planned =
    impl::plan_for<std::remove_cvref_t<P>, Stage, Compute, Branch>(impl::steps_of_stage<std::remove_cvref_t<P>, Stage, Branch>{});

/// The label that a loss ignores to which the predictions belong that leave a stage at a position; `no_label` if there is none.
template <class Plan>
[[nodiscard]] constexpr std::int64_t label_ignored(const Plan& plan, std::size_t position) {
  std::size_t left = plan.leaving[position];
  for (const impl::step_plan& step : plan.steps)
    if (step.block == static_cast<std::size_t>(-1) && step.out[0] == left) left = step.in[0];  // a copy
  for (const impl::step_plan& step : plan.steps)
    if (step.facts.ignored != no_label && plan.slots[step.out[0]].root == plan.slots[left].root) return step.facts.ignored;
  return no_label;
}

}  // namespace ipuflow::nn
