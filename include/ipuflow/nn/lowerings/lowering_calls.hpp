// SPDX-License-Identifier: BSL-1.0
// Calls the lowerings of one step of a stage with the views of its slots, and says if there are any. What a pass reads
// and writes is given as functions of a slot's number.
#pragma once

#include <ipuflow/nn/lowerings/lowering.hpp>
#include <ipuflow/nn/nn_fault.hpp>
#include <ipuflow/nn/stage/stage_planned.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::nn {

template <std::size_t I>
using slot_index = std::integral_constant<std::size_t, I>;

/// The view of a slot's values, and of its gradient.
template <class Types, std::size_t Slot>
using tiled_slot = typename tiled<typename Types::template slot_type<Slot>>::view;

/// Whether a layer asks for the number of the micro-batch.
template <class Layer>
concept counting = requires(Layer layer) { counts_micro_batches(layer); };

template <class Types, std::size_t I>
struct lowering_calls {
  static constexpr auto layer = Types::template layer<I>();

  template <class Value>
  static ipu::step forward(const lowering& l, Value value) {
    return [&]<std::size_t... In, std::size_t... Out>(walk::at_slots<In...>, walk::at_slots<Out...>) {
      return lower_forward(layer, l, value(slot_index<In>{})..., value(slot_index<Out>{})...);
    }(Types::template in<I>(), Types::template out<I>());
  }

  template <class Value, class Gradient>
  static ipu::step backward_weights(const lowering& l, Value value, Gradient gradient) {
    return [&]<std::size_t... In, std::size_t... Out>(walk::at_slots<In...>, walk::at_slots<Out...>) {
      return lower_backward_weights(layer, l, value(slot_index<In>{})..., value(slot_index<Out>{})...,
                                    gradient(slot_index<Out>{})...);
    }(Types::template in<I>(), Types::template out<I>());
  }

  /// `target(slot, position)`: where the gradient of an input goes.
  template <class Value, class Gradient, class Target>
  static ipu::step backward_inputs(const lowering& l, Value value, Gradient gradient, Target target) {
    return [&]<std::size_t... In, std::size_t... Out, std::size_t... Position>(
               walk::at_slots<In...>, walk::at_slots<Out...>, std::index_sequence<Position...>) {
      return std::apply([&](auto... all) { return lower_backward_inputs(layer, l, all...); },
                        std::tuple_cat(std::tuple{value(slot_index<In>{})...},
                                       std::tuple{value(slot_index<Out>{})..., gradient(slot_index<Out>{})...},
                                       only_real<Types::template real<In>()>(target(slot_index<In>{}, Position))...));
    }(Types::template in<I>(), Types::template out<I>(), positions(Types::template in<I>()));
  }

  /// Whether there is all that a step with this plan is asked for.
  static constexpr bool exist(const step_plan& plan) {
    const layer_facts& known = plan.facts;
    if (known.same_memory && known.same_gradient) return true;
    return has_forward && (has_backward_inputs || !plan.computes_inputs) &&
           (has_backward_weights || known.parameters == 0);
  }

 private:
  template <std::size_t... In>
  static constexpr auto positions(walk::at_slots<In...>) {
    return std::make_index_sequence<sizeof...(In)>{};
  }
  template <bool Real, class View>
  static constexpr auto only_real(View d_in) {
    if constexpr (Real)
      return std::tuple<View>{d_in};
    else
      return std::tuple<>{};
  }
  template <class... All>
  static constexpr bool lowers_inputs(std::tuple<All...>) {
    return requires(const lowering& l, All... all) { lower_backward_inputs(layer, l, all...); };
  }
  template <std::size_t Slot>
  using view = tiled_slot<Types, Slot>;

  static constexpr bool has_forward = []<std::size_t... In, std::size_t... Out>(walk::at_slots<In...>,
                                                                                walk::at_slots<Out...>) {
    return requires(const lowering& l) { lower_forward(layer, l, view<In>{}..., view<Out>{}...); };
  }(Types::template in<I>(), Types::template out<I>());
  static constexpr bool has_backward_weights = []<std::size_t... In, std::size_t... Out>(walk::at_slots<In...>,
                                                                                         walk::at_slots<Out...>) {
    return requires(const lowering& l) {
      lower_backward_weights(layer, l, view<In>{}..., view<Out>{}..., view<Out>{}...);
    };
  }(Types::template in<I>(), Types::template out<I>());
  static constexpr bool has_backward_inputs = []<std::size_t... In, std::size_t... Out>(walk::at_slots<In...>,
                                                                                        walk::at_slots<Out...>) {
    return lowers_inputs(std::tuple_cat(std::tuple{view<In>{}...}, std::tuple{view<Out>{}..., view<Out>{}...},
                                        only_real<Types::template real<In>()>(view<In>{})...));
  }(Types::template in<I>(), Types::template out<I>());
};

/// The first step of a stage that has no lowering.
template <class P, class Types, class Plan>
constexpr nn_fault verify_lowerings(const Plan& plan) {
  nn_fault found;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto check = [&](std::size_t step, bool exists, const type_text& type) {
      if (found || exists) return;
      found = {.kind = nn_wrong::no_lowering,
               .where = {fixed_string<60>{P::names()[plan.steps[step].block]}, plan.steps[step].op, type}};
    };
    (check(I, lowering_calls<Types, I>::exist(plan.steps[I]), type_name<decltype(Types::template layer<I>())>()), ...);
  }(std::make_index_sequence<decltype(plan.steps)::capacity()>{});
  return found;
}

}  // namespace ipuflow::nn
