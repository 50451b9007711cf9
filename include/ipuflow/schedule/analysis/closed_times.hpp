// SPDX-License-Identifier: BSL-1.0
// Times of timetables in closed form at a cost that does not grow with the micro-batches: they are run in rounds, and those
// that repeat are left out. What is not found to repeat is run to its end in the memory of one round.
#pragma once

#include <ipuflow/schedule/analysis/modular_rounds.hpp>
#include <ipuflow/schedule/analysis/program_rounds.hpp>
#include <ipuflow/schedule/analysis/steady_run.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

template <class T>
struct rounds_of {};
template <class Where>
struct rounds_of<modular<Where>> {
  using type = modular_rounds<Where>;
};
template <>
struct rounds_of<program> {
  using type = program_rounds<program>;
};

template <class T>
concept runs_in_rounds = requires { typename rounds_of<T>::type; };

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
  typename rounds_of<T>::type rounds{t};
  if (!steady_run{state, rounds}.run() || state.updates) return false;
  for (std::size_t ipu = 0; ipu < state.lanes(); ++ipu) use(ipu, state.first(ipu), state.last(ipu), state.busy(ipu));
  return true;
}

}  // namespace ipuflow::schedule::impl
