// SPDX-License-Identifier: BSL-1.0
// The length of a timetable's program on chips: steps that stand in its code. Each is a function that all chips call, in which
// a chip calls its passes and takes part in a copy; what repeats is a loop, before and behind which chips begin and end one
// after the other.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/schedule/analysis/program_shape.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::train::impl {

/// Bytes of control code of a step on a chip: a call of the step, one of the chip's part, and a copy.
inline constexpr std::uint64_t code_of_program_step = 4 + 4 + 12;

/// The steps in which chips wait for others in both ramps: there and back through all stages [capped].
template <class Timetable>
constexpr std::size_t steps_of_waiting(const Timetable& t) {
  return 4 * t.where.stages + 2;
}

/// Operations of an IPU that stand in the program: those of its longest phase once, as that is a loop, and so of lines that
/// overlap; of other phases and lines no more than chips begin one after the other. Where a timetable has neither, all of them.
template <class Timetable>
constexpr std::size_t operations_in_program(const Timetable& t, std::size_t ipu) {
  if constexpr (requires { t.phases(t.where, ipu); }) {
    const auto phases = t.phases(t.where, ipu);
    std::size_t longest = 0, found = 0;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      if (phases[i].times * phases[i].beats.size() > phases[longest].times * phases[longest].beats.size()) longest = i;
    }
    for (std::size_t i = 0; i < phases.size(); ++i)
      found += phases[i].beats.size() * (i == longest ? 1 : algorithms::min<std::size_t>(phases[i].times, steps_of_waiting(t)));
    return found;
  } else if constexpr (requires { schedule::loop_of(t, ipu); }) {
    std::size_t of_lines = 0;
    t.for_each_line(ipu, [&](const auto& part, const auto&, auto, std::size_t, std::size_t) {
      of_lines += algorithms::min<std::size_t>(part.micro_batches, steps_of_waiting(t));
    });
    return algorithms::min(schedule::loop_of(t, ipu).code(), of_lines);
  } else {
    std::size_t found = 0;
    for (auto w = t.walk(ipu); w; ++w) ++found;
    return found;
  }
}

/// Steps in the program of all chips.
template <class Timetable>
[[nodiscard]] constexpr std::size_t program_length(const Timetable& t) {
  std::size_t most = 0;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) most = algorithms::max(most, operations_in_program(t, ipu));
  return most + steps_of_waiting(t);
}

}  // namespace ipuflow::train::impl
