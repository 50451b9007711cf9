// SPDX-License-Identifier: BSL-1.0
// Times of timetables in closed form at a cost that does not grow with the micro-batches: they are run in rounds, and those
// that repeat are left out. What is not found to repeat is run to its end in the memory of one round.
#pragma once

#include <ipuflow/schedule/analysis/modular_rounds.hpp>
#include <ipuflow/schedule/analysis/program_rounds.hpp>
#include <ipuflow/schedule/analysis/steady_run.hpp>
#include <ipuflow/schedule/analysis/train_rounds.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

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

/// Runs a timetable to its end: `use(state)` tells the rest. False if it cannot be run in rounds, or has updates among its operations.
template <class Log = no_log, class Where, pricing Costs, class Use>
constexpr bool run_in_rounds(const modular<Where>& t, const Costs& c, Use use) {
  max_plus_state<modular<Where>, Costs, Log> state{t, c};
  modular_rounds rounds{t, state};
  return steady_run{state, rounds}.run() && !state.updates() && use(state);
}
template <class Log = no_log, pricing Costs, class Use>
constexpr bool run_in_rounds(const program& t, const Costs& c, Use use) {
  program_rounds<Costs, Log> rounds{t, c};
  return steady_run{rounds, rounds}.run() && !rounds.updates() && use(rounds);
}

/// The time that an IPU is busy.
template <class T, pricing Costs>
[[nodiscard]] constexpr std::size_t work_of(const T& t, const Costs& c, std::size_t ipu) {
  std::size_t sum = 0;
  t.for_each_line(ipu, [&](const part& p, const line&, pass kind, std::size_t stage, std::size_t) { sum += p.micro_batches * c.of(kind, stage); });
  return sum;
}

/// The same of a timetable that is made of trains, which is the fastest; false if it is none.
template <class T, pricing Costs, class Use>
constexpr bool timed_in_trains(const T& t, const Costs& c, Use use) {
  if constexpr (requires { train_lines{t, c}; }) {
    const train_lines lines{t, c};
    if (!lines.fit()) return false;
    train_rounds<> rounds{lines};
    if (!steady_run{rounds, rounds}.run() || rounds.clash()) return false;
    for (std::size_t ipu = 0; ipu < rounds.lanes(); ++ipu) use(ipu, rounds.first(ipu), rounds.last(ipu), work_of(t, c, ipu));
    return true;
  } else {
    return false;
  }
}

/// Calls `use(ipu, first start, last end, busy time)` for every IPU; nothing if the timetable cannot be run in rounds, or has
/// updates among its operations.
template <runs_in_rounds T, pricing Costs, class Use>
constexpr bool timed_in_rounds(const T& t, const Costs& c, Use use) {
  if (t.refused) return false;
  if (timed_in_trains(t, c, use)) return true;
  return run_in_rounds(t, c, [&](const auto& state) {
    for (std::size_t ipu = 0; ipu < state.lanes(); ++ipu) use(ipu, state.first(ipu), state.last(ipu), state.busy(ipu));
    return true;
  });
}

}  // namespace ipuflow::schedule::impl
