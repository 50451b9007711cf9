// SPDX-License-Identifier: BSL-1.0
// Times of timetables in closed form at a cost that does not grow with the micro-batches: they are run in rounds, and those
// that repeat are left out. What is not found to repeat is run to its end in the memory of one round.
#pragma once

#include <ipuflow/schedule/analysis/modular_rounds.hpp>
#include <ipuflow/schedule/analysis/program_rounds.hpp>
#include <ipuflow/schedule/analysis/steady_run.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

template <class Where, class State>
constexpr modular_rounds<Where, State> rounds_of(const modular<Where>& t, State& state) {
  return {t, state};
}
template <class State>
constexpr program_rounds<State> rounds_of(const program& t, State& state) {
  return {t, state};
}

template <class T>
inline constexpr bool has_rounds = false;
template <class Where>
inline constexpr bool has_rounds<modular<Where>> = true;
template <>
inline constexpr bool has_rounds<program> = true;

template <class T>
concept runs_in_rounds = has_rounds<T>;

/// False where walking over all operations is as cheap.
template <class T>
[[nodiscard]] constexpr bool worth_rounds(const T& t) {
  return t.where.stages * t.where.micro_batches > std::size_t{1} << 14;
}

/// Calls `use(ipu, first start, last end, busy time)` for every IPU; nothing if the timetable cannot be run in rounds, or has
/// updates among its operations.
template <runs_in_rounds T, pricing Costs, class Use>
constexpr bool timed_in_rounds(const T& t, const Costs& c, Use use) {
  if (t.refused) return false;
  max_plus_state<T, Costs> state{t, c};
  auto rounds = rounds_of(t, state);
  if (!steady_run{state, rounds}.run() || state.updates) return false;
  for (std::size_t ipu = 0; ipu < state.lanes(); ++ipu) use(ipu, state.first(ipu), state.last(ipu), state.busy(ipu));
  return true;
}

}  // namespace ipuflow::schedule::impl
