// SPDX-License-Identifier: BSL-1.0
// The types of a stage's slots and layers, found by index, and what is computed with where a slot is declared to hold
// something else.
#pragma once

#include <ipuflow/core/type_name.hpp>
#include <ipuflow/nn/nn_fault.hpp>
#include <ipuflow/nn/stage/stage_plan.hpp>
#include <ipuflow/nn/stage/stage_steps.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::nn {

/// The type that values are computed with, real ones as `Compute`, others as they are; `value` is what passes call
/// such a value.
template <class Type, class Compute>
struct computed;
template <element E, std::size_t... Extent, class Compute>
struct computed<tensor<E, Extent...>, Compute> {
  static constexpr bool rounds = std::is_same_v<E, half> && !std::is_same_v<Compute, half>;
  static constexpr bool real = !std::is_integral_v<E>;
  static constexpr bool single = sizeof...(Extent) == 0;
  using element = std::conditional_t<real, Compute, E>;
  using value = std::conditional_t<real, shape<Extent...>, tensor<E, Extent...>>;
  using view = typename impl::viewed<Compute, value>::write;
};
template <element E, class Compute>
struct computed<E, Compute> {
  static constexpr bool rounds = false;
  static constexpr bool real = false;  // a number beside the samples: nothing is learned from it
  static constexpr bool single = false;
  using element = std::conditional_t<std::is_integral_v<E>, E, Compute>;
  using value = element;
  using view = typename impl::viewed<Compute, value>::write;
};

/// Writes the first parameters and state of a layer.
template <class T>
using initialiser = void (*)(std::uint64_t seed, T* values, T* state);

namespace impl {

/// A layer with a function that sets its parameters and state, given these types.
template <class Layer, class T, class... Type>
concept initialised_by = requires(Layer layer, std::uint64_t seed, T* numbers) {
  initialise_layer(layer, Type{}..., seed, numbers, numbers);
};

/// The types of its inputs that such a function is given: all, or the first one alone.
template <class Layer, class Reads, class T>
inline constexpr bool initialised = false;
template <class Layer, class First, class... Rest, class T>
inline constexpr bool initialised<Layer, walk::list<First, Rest...>, T> =
    initialised_by<Layer, T, First, Rest...> || initialised_by<Layer, T, First>;

/// That of a layer; none if it has neither parameters nor state.
template <class T, class Layer, class First, class... Rest>
constexpr initialiser<T> initialiser_of(walk::list<First, Rest...>) {
  if constexpr (initialised_by<Layer, T, First, Rest...>) {
    return [](std::uint64_t seed, T* values, T* state) { initialise_layer(Layer{}, First{}, Rest{}..., seed, values, state); };
  } else if constexpr (initialised_by<Layer, T, First>) {
    return [](std::uint64_t seed, T* values, T* state) { initialise_layer(Layer{}, First{}, seed, values, state); };
  } else {
    return nullptr;
  }
}

/// Reason for which a step cannot have its layer, outside of the types of that. A table of these is checked by code that knows no stage:
/// compilers write out the name of each function, and a function of a stage for each of its layers would have all steps in its name.
struct layer_check {
  nn_fault (*fault)(const step_plan& step, bool trains) = nullptr;  ///< without its place
  type_text (*type)() = nullptr;
};

/// Layers, slots and their views by index.
template <class Steps>
struct step_types;
template <class... Slot, class... Layer, class... In, class... Out, class... Reads, class... Makes, std::size_t... Block,
          std::size_t... Op, std::size_t Entering, class Leaving>
struct step_types<stage_steps<walk::list<Slot...>, walk::list<walk::layer_step<Layer, In, Out, Reads, Makes, Block, Op>...>, Entering, Leaving>> {
  template <std::size_t I>
  using slot_type = typename std::tuple_element_t<I, std::tuple<Slot...>>::type;
  template <std::size_t I, class Compute>
  using batch_of = typename computed<slot_type<I>, Compute>::view;

  template <std::size_t I>
  using layer_type = std::tuple_element_t<I, std::tuple<Layer...>>;
  /// The types of what a step reads and makes, a walk::list each.
  template <std::size_t I>
  using reads = std::tuple_element_t<I, std::tuple<Reads...>>;
  template <std::size_t I>
  using makes = std::tuple_element_t<I, std::tuple<Makes...>>;

  template <std::size_t I>
  static constexpr auto layer() {
    return layer_type<I>{};
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

  /// One of each step, and none behind them.
  template <class T>
  static constexpr initialiser<T> initialisers[sizeof...(Layer) + 1]{initialiser_of<T, Layer>(Reads{})...};

  /// `Checks::of<Layer, Reads, Makes>` of each step, and none behind them.
  template <class Checks>
  static constexpr layer_check checks[sizeof...(Layer) + 1]{Checks::template of<Layer, Reads, Makes>...};
};

}  // namespace impl

}  // namespace ipuflow::nn
