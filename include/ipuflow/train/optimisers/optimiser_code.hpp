// SPDX-License-Identifier: BSL-1.0
// The seam between an optimiser and who applies it: a rule outside of its type. Updaters take this one and are compiled
// once for all optimisers.
#pragma once

#include <cstddef>
#include <span>

namespace ipuflow::train::impl {

template <class Optimiser>
inline constexpr bool wants_whole_tensors = requires { Optimiser::whole_tensors; };

/// An optimiser outside of its type, which has to last as long.
template <class Number>
struct optimiser_code {
  const void* optimiser = nullptr;
  std::size_t states = 0;       ///< numbers kept for each parameter
  std::size_t state_bytes = 0;  ///< of one of them
  bool whole_tensors = false;
  /// `state`: of the numbers at hand.
  void (*update)(const void* optimiser, std::span<Number> values, std::span<const float> gradients, std::byte* state,
                 std::size_t step) = nullptr;
};

template <class Number, class Optimiser>
optimiser_code<Number> optimiser_code_of(const Optimiser& optimiser) {
  using state = typename Optimiser::state_type;
  return {&optimiser, Optimiser::states, sizeof(state), wants_whole_tensors<Optimiser>,
          [](const void* of, std::span<Number> values, std::span<const float> gradients, std::byte* kept,
             std::size_t step) {
            const std::span<state> mine{reinterpret_cast<state*>(kept), values.size() * Optimiser::states};
            static_cast<const Optimiser*>(of)->update(values, gradients, mine, step);
          }};
}

}  // namespace ipuflow::train::impl
