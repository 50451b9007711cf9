// SPDX-License-Identifier: BSL-1.0
// The numbers that an optimiser remembers of each parameter, and how it is handed them for an update: in runs, each as long
// as the parameters at hand. Numbers of one type are one span, run behind run; numbers of several types are a span each.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>

namespace ipuflow::train {

/// As the `state_type` of an optimiser: one number of each type. `update` is handed one of these, with a run of each.
template <class... Number>
struct mixed_state {
  constexpr mixed_state() = default;
  constexpr explicit mixed_state(std::span<Number>... all) : runs{all...} {}

  std::tuple<std::span<Number>...> runs{};
};

namespace impl {

/// The type in which a parameter is changed: doubles keep changes that floats would lose.
template <class Parameter>
using changed_in = std::conditional_t<std::is_same_v<Parameter, double>, double, float>;

/// The root of a mean of squares, to divide a slope by; one if it is zero: so were all slopes, and 0 / 0 is no number.
constexpr float divisor(float root) { return root == 0 ? 1 : root; }

/// The `state_type` of two numbers.
template <class First, class Second>
using pair_of_states = std::conditional_t<std::is_same_v<First, Second>, First, mixed_state<First, Second>>;

/// Run `I` of the state of `n` parameters.
template <std::size_t I, class Number>
constexpr std::span<Number> run_of(std::span<Number> state, std::size_t n) {
  return state.subspan(I * n, n);
}
template <std::size_t I, class... Number>
constexpr auto run_of(const mixed_state<Number...>& state, std::size_t) {
  return std::get<I>(state.runs);
}

/// `Count` numbers of one type, kept in one place.
template <class Number, std::size_t Count>
struct state_part {
  static constexpr std::size_t bytes = Count * sizeof(Number);  ///< for each parameter
};

/// A part outside of its type.
struct state_part_size {
  std::size_t numbers = 0;  ///< for each parameter
  std::size_t bytes = 0;    ///< of a number
};

/// The parts into which state is cut: `with_parts(f)` calls `f(state_part...)`; a span of each part makes a view.
template <class State, std::size_t States>
struct state_layout {
  using view = std::span<State>;
  static constexpr std::size_t bytes = States * sizeof(State);
  static constexpr std::array<state_part_size, States == 0 ? 0 : 1> sizes = [] {
    if constexpr (States == 0)
      return std::array<state_part_size, 0>{};
    else
      return std::array{state_part_size{States, sizeof(State)}};
  }();

  template <class Function>
  static constexpr decltype(auto) with_parts(Function f) {
    if constexpr (States == 0)
      return f();
    else
      return f(state_part<State, States>{});
  }
};
template <class... Number, std::size_t States>
  requires(States == sizeof...(Number))
struct state_layout<mixed_state<Number...>, States> {
  using view = mixed_state<Number...>;
  static constexpr std::size_t bytes = (sizeof(Number) + ... + 0);
  static constexpr std::array<state_part_size, sizeof...(Number)> sizes{state_part_size{1, sizeof(Number)}...};

  template <class Function>
  static constexpr decltype(auto) with_parts(Function f) {
    return f(state_part<Number, 1>{}...);
  }
};

template <class Optimiser>
using state_layout_of = state_layout<typename Optimiser::state_type, Optimiser::states>;
template <class Optimiser>
using state_view = typename state_layout_of<Optimiser>::view;

/// The state of `count` parameters in one block of bytes, part behind part, and the place of some of them.
struct state_place {
  std::byte* all = nullptr;
  std::size_t count = 0;
  std::size_t first = 0;
};

/// Parts begin aligned for every number, whatever the count.
constexpr std::size_t rounded_count(std::size_t count) { return (count + 7) / 8 * 8; }

/// The state of `n` parameters from `first` on.
template <class Optimiser>
state_view<Optimiser> state_at(const state_place& place, std::size_t n) {
  std::byte* part = place.all;
  const auto run = [&]<class Number, std::size_t Count>(state_part<Number, Count> one) {
    auto* const begin = reinterpret_cast<Number*>(part + place.first * one.bytes);
    part += rounded_count(place.count) * one.bytes;
    return std::span<Number>{begin, Count * n};
  };
  return state_layout_of<Optimiser>::with_parts([&](auto... part_of) { return state_view<Optimiser>{run(part_of)...}; });
}

}  // namespace impl

}  // namespace ipuflow::train
