// SPDX-License-Identifier: BSL-1.0
// The bounds of all layers of a stage, and the sizes of its values.
#pragma once

#include <ipuflow/core/type_name.hpp>
#include <ipuflow/nn/bounds/layer_bound.hpp>
#include <ipuflow/nn/stage/plan_of_stage.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ipuflow::nn::impl {

template <class Type>
struct bound_slot;
template <class E, std::size_t... Extent>
struct bound_slot<tensor<E, Extent...>> {
  static constexpr std::size_t elements = shape<Extent...>::elements;
  static constexpr ipu::element_type type = std::is_same_v<E, std::uint8_t> ? ipu::element_type::u8 : std::is_same_v<E, half> ? ipu::element_type::f16 : ipu::element_type::f32;
};
template <element E>
struct bound_slot<E> {
  static constexpr std::size_t elements = 1;
  static constexpr ipu::element_type type = ipu::element_type::f32;
};

template <class List>
struct as_in_and_out;
template <class... T>
struct as_in_and_out<walk::list<T...>> {
  using read = nn::in<T...>;
  using made = nn::out<T...>;
};

template <class Layer, class Reads, class Makes>
constexpr layer_bound bound_of_layer(const bound_question& q) {
  using read = typename as_in_and_out<Reads>::read;
  using made = typename as_in_and_out<Makes>::made;
  if constexpr (bounded_layer<Layer, read, made>)
    return bound_on_tiles(Layer{}, read{}, made{}, q);
  else
    return {.is_known = false};
}

template <class Kind>
inline constexpr char kind_of = 0;  // its address tells kinds of layers apart

/// Weights of a step: whether other layers share them, and the order in which they are stored.
struct shared_step {
  bool is_shared = false, by_columns = false;

  friend constexpr bool operator==(const shared_step&, const shared_step&) = default;
};

template <class Steps>
struct bound_tables;
template <class... Slot, class... Layer, class... In, class... Out, class... Reads, class... Makes, std::size_t... Block, std::size_t... Op, std::size_t Entering,
          class Leaving>
struct bound_tables<stage_steps<walk::list<Slot...>, walk::list<walk::layer_step<Layer, In, Out, Reads, Makes, Block, Op>...>, Entering, Leaving>> {
  static constexpr std::size_t slots = sizeof...(Slot), steps = sizeof...(Layer);
  static constexpr std::array<ipu::element_type, slots> types{bound_slot<typename Slot::type>::type...};
  static constexpr std::array<std::size_t, slots> elements{bound_slot<typename Slot::type>::elements...};

  /// The bounds of all layers; of layers that are alike, that of the first.
  template <class Plan>
  static constexpr std::array<layer_bound, steps> layers(const bound_question& q, const Plan& plan, const std::array<shared_step, steps>& shared) {
    constexpr std::array<const void*, steps> kinds{&kind_of<walk::list<Layer, Reads, Makes>>...};
    std::array<layer_bound, steps> made{};
    std::size_t step = 0;
    const auto like = [&] {
      std::size_t at = 0;
      const auto is_alike = [&] {
        return kinds[at] == kinds[step] && plan.steps[at].computes_inputs == plan.steps[step].computes_inputs && shared[at] == shared[step];
      };
      while (!is_alike()) ++at;
      return at;
    };
    const auto asked = [&] {
      bound_question of = q;
      of.computes_inputs = plan.steps[step].computes_inputs, of.shared = shared[step].is_shared, of.by_columns = shared[step].by_columns;
      return of;
    };
    (void((made[step] = like() < step ? made[like()] : bound_of_layer<Layer, Reads, Makes>(asked()), ++step)), ...);
    return made;
  }
  /// True if rows of a step's weights are looked up.
  static constexpr bool is_table(const bound_question& q, std::size_t step) {
    std::size_t at = 0;
    return ((at++ == step && bound_of_layer<Layer, Reads, Makes>(q).weights > 0) || ...);
  }
  static constexpr type_text unknown(const std::array<layer_bound, steps>& all) {
    type_text found;
    std::size_t i = 0;
    (void(all[i++].is_known || !found.empty() || (found = type_name<Layer>(), true)), ...);
    return found;
  }
};

}  // namespace ipuflow::nn::impl
