// SPDX-License-Identifier: BSL-1.0
// The seam between an optimiser and who applies it: a rule outside of its type. Updaters take this one and are compiled
// once for all optimisers.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/train/optimisers/groups.hpp>
#include <ipuflow/train/optimisers/state.hpp>

#include <cstddef>
#include <span>

namespace ipuflow::train::impl {

/// It says so, or it has sums over a tensor, which a part of one would not give.
template <class Optimiser>
inline constexpr bool wants_whole_tensors = requires { requires Optimiser::whole_tensors; } || requires { typename Optimiser::sums_type; };

/// An optimiser outside of its type, which has to last as long.
template <class Number>
struct optimiser_code {
  const void* optimiser = nullptr;
  std::size_t state_bytes = 0;  ///< kept for each parameter
  light_span<const state_part_size> state_parts{};
  type_text name{};
  bool whole_tensors = false;
  /// `group`: of the parameters, whose rule this is.
  void (*update)(const void* optimiser, std::size_t group, light_span<Number> values, light_span<const float> gradients, const state_place& state,
                 std::size_t step) = nullptr;
};

template <class Number, class Optimiser>
optimiser_code<Number> optimiser_code_of(const Optimiser& optimiser) {
  using rule = rule_of<Optimiser>;
  return {&optimiser, state_layout_of<rule>::bytes, state_layout_of<rule>::sizes, type_name<rule>(), wants_whole_tensors<rule>,
          [](const void* of, std::size_t group, light_span<Number> values, light_span<const float> gradients, const state_place& kept,
             std::size_t step) {
            rules_of<Optimiser>::at(*static_cast<const Optimiser*>(of), group)
                .update(std::span<Number>{values.data(), values.size()}, std::span<const float>{gradients.data(), gradients.size()}, state_at<rule>(kept, values.size()), step);
          }};
}

}  // namespace ipuflow::train::impl
