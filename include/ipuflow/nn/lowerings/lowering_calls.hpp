// SPDX-License-Identifier: BSL-1.0
// Calls the lowerings of one step of a stage with the views of its slots, and says if there are any. What a pass reads
// and writes is given as functions of a slot's number.
#pragma once

#include <ipuflow/nn/lowerings/lowering.hpp>
#include <ipuflow/nn/stage/verify_kernels.hpp>

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::nn {

namespace impl {

template <std::size_t I>
using slot_index = std::integral_constant<std::size_t, I>;

/// A layer that asks for the number of the micro-batch.
template <class Layer>
concept counting = requires(Layer layer) { counts_micro_batches(layer); };

/// Types of values as they stand on tiles.
template <template <class...> class To, class Types>
struct values_on_tiles;
template <template <class...> class To, class... Type>
struct values_on_tiles<To, walk::list<Type...>> {
  using type = To<typename tiled<Type>::type...>;
};

template <class Layer, class Pass>
concept lowers_forward = requires(Layer layer, const Pass& l) { lower_forward(layer, l); };
template <class Layer, class Pass>
concept lowers_inputs = requires(Layer layer, const Pass& l) { lower_backward_inputs(layer, l); };
template <class Layer, class Pass>
concept lowers_weights = requires(Layer layer, const Pass& l) { lower_backward_weights(layer, l); };

template <class Layer, class Pass>
concept places_weights = requires(Layer layer, const Pass& l) { weights_on_tiles(layer, l); };

template <class Types, std::size_t I>
struct lowering_calls {
  using layer_type = typename Types::template layer_type<I>;
  static constexpr layer_type layer{};
  using reads = typename values_on_tiles<in, typename Types::template reads<I>>::type;
  using makes = typename values_on_tiles<out, typename Types::template makes<I>>::type;
  using forward_type = forward_lowering<reads, makes>;
  using inputs_type = inputs_lowering<reads, makes>;
  using weights_type = weights_lowering<reads, makes>;

  static weights_place weights(const lowering& l) {
    if constexpr (places_weights<layer_type, forward_type>)
      return weights_on_tiles(layer, forward_type{l, {}, {}});
    else
      return {};
  }

  template <class Value>
  static ipu::step forward(const lowering& l, Value value) {
    return lower_forward(layer, forward_type{l, all(Types::template in<I>(), value), all(Types::template out<I>(), value)});
  }

  template <class Value, class Gradient>
  static ipu::step backward_weights(const lowering& l, Value value, Gradient gradient) {
    return lower_backward_weights(layer, weights_type{l, all(Types::template in<I>(), value),
                                                      all(Types::template out<I>(), value),
                                                      real(Types::template out<I>(), gradient)});
  }

  /// `target(slot, position)`: where the gradient of an input goes.
  template <class Value, class Gradient, class Target>
  static ipu::step backward_inputs(const lowering& l, Value value, Gradient gradient, Target target) {
    return lower_backward_inputs(
        layer, inputs_type{l, all(Types::template in<I>(), value), all(Types::template out<I>(), value),
                           real(Types::template out<I>(), gradient), real(Types::template in<I>(), target)});
  }

  /// The call that a step with this plan would fail in; empty if there is none.
  static constexpr fixed_string<160> missing(const step_plan& plan) {
    const layer_facts& known = plan.facts;
    if (known.same_memory && known.same_gradient) return {};
    if (!lowers_forward<layer_type, forward_type>) return call_text<forward_type>("lower_forward");
    if (plan.computes_inputs && !lowers_inputs<layer_type, inputs_type>)
      return call_text<inputs_type>("lower_backward_inputs");
    if (known.parameters > 0 && !lowers_weights<layer_type, weights_type>)
      return call_text<weights_type>("lower_backward_weights");
    return {};
  }

 private:
  /// The answers for each slot, and for those of real numbers, by their position too.
  template <std::size_t... Slot, class Of>
  static std::array<on_tiles, sizeof...(Slot)> all(walk::at_slots<Slot...>, Of of) {
    return {of(Slot)...};
  }
  template <std::size_t... Slot, class Of>
  static auto real(walk::at_slots<Slot...>, Of of) {
    std::array<on_tiles, (std::size_t{Types::template real<Slot>()} + ... + 0)> made{};
    std::size_t position = 0, next = 0;
    ((Types::template real<Slot>() ? void(made[next++] = of(Slot, position)) : void(), ++position), ...);
    return made;
  }

};

/// The first lowering that a step of a stage lacks.
template <class P, class Types, class Plan>
constexpr nn_fault verify_lowerings(const Plan& plan) {
  nn_fault found;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto check = [&]<std::size_t Step>(slot_index<Step>) {
      using calls = lowering_calls<Types, Step>;
      layer_place where = place_of<P, typename calls::layer_type>(plan.steps[Step]);
      where.call = calls::missing(plan.steps[Step]);
      if (!found && !where.call.empty()) found = {.kind = nn_wrong::no_lowering, .where = where};
    };
    (check(slot_index<I>{}), ...);
  }(std::make_index_sequence<decltype(plan.steps)::capacity()>{});
  return found;
}

}  // namespace impl

}  // namespace ipuflow::nn
