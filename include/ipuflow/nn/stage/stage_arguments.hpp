// SPDX-License-Identifier: BSL-1.0
// Arguments of a run among the values of a stage: which of those that enter and leave are the same for all micro-batches. On
// chips they are brought once a run and stay; nothing of them goes from stage to stage.
#pragma once

#include <ipuflow/graph/arguments.hpp>
#include <ipuflow/nn/stage/plan_of_stage.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace ipuflow::nn {

/// Of a value that is no argument of a run.
inline constexpr std::size_t no_argument = static_cast<std::size_t>(-1);

namespace impl {

/// The number of an argument among all that enters the pipeline, by its name.
template <class P>
constexpr std::size_t argument_named(std::string_view name) {
  for (std::size_t i = 0; i < entering_of<P>::size; ++i) {
    if (entering_of<P>::given[i] && entering_of<P>::names[i] == name) return i;
  }
  return no_argument;
}
template <class P, class... T, fixed_string... Name, class... N>
constexpr auto arguments_among(flow::point<values<T...>, named<Name, N>...>) {
  std::array<std::size_t, sizeof...(T) + sizeof...(N)> all{};
  std::size_t at = 0;
  for (; at < sizeof...(T); ++at) all[at] = no_argument;
  ((all[at++] = argument_named<P>(Name.view())), ...);
  return all;
}

}  // namespace impl

/// For each value of stage_input the number of the argument that it is.
template <class P, std::size_t Stage>
inline constexpr auto arguments_entering = impl::arguments_among<P>(typename flow::entry<P, Stage>::type{});

namespace impl {

/// The same of stage_output.
template <class P, std::size_t Stage>
inline constexpr auto arguments_leaving = arguments_among<P>(typename flow::entry<P, Stage>::exit{});

/// For each slot of a stage the number of the argument that it holds: those that enter, and copies of them that would leave.
template <class P, std::size_t Stage, std::size_t Branch>
inline constexpr auto argument_slots = [] {
  constexpr const auto& plan = planned<P, Stage, float, Branch>;
  std::array<std::size_t, plan.slots.size()> all{};
  all.fill(no_argument);
  for (std::size_t i = 0; i < plan.entering; ++i) all[i] = arguments_entering<P, Stage>[i];
  for (std::size_t i = 0; i < plan.leaving.size(); ++i) {
    const std::size_t which = arguments_leaving<P, Stage>[exit_positions<P, Stage, Branch>[i]];
    if (which != no_argument) all[plan.leaving[i]] = which;
  }
  return all;
}();

/// True if a step only hands an argument on.
template <class P, std::size_t Stage, std::size_t Branch, std::size_t Step>
inline constexpr bool hands_argument_on = [] {
  constexpr const auto& out = planned<P, Stage, float, Branch>.steps[Step].out;
  return out.size() == 1 && argument_slots<P, Stage, Branch>[out[0]] != no_argument;
}();

}  // namespace impl

}  // namespace ipuflow::nn
