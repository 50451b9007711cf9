// SPDX-License-Identifier: BSL-1.0
// A program for fewer micro-batches that keeps as many values as the one for many: between two repeats of a phase that runs each
// pass of each chunk once, what is kept is the same, so two of these repeats show all. Counting walks over the short one.
#pragma once

#include <ipuflow/schedule/forms/program.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// The phase that has more repeats where there are more micro-batches; one past the last phase if no other differs.
constexpr std::size_t growing_phase(const phase_list& many, const phase_list& few, std::size_t more) {
  std::size_t found = many.size();
  if (many.size() != few.size()) return nowhere;
  for (std::size_t i = 0; i < many.size(); ++i) {
    if (many[i] == few[i]) continue;
    if (found != many.size() || many[i].beats != few[i].beats || many[i].times != few[i].times + more || few[i].times < 2) return nowhere;
    found = i;
  }
  return found;
}

/// True if a phase starts and ends equally many values of each chunk, by number and not by age.
constexpr bool keeps_as_much(const program_phase& phase) {
  std::size_t passes[3][oldest + 1]{};
  for (const beat& b : phase.beats) {
    if (b.chunk == oldest) return false;
    if (b.kind == pass::forward) ++passes[0][b.chunk];
    if (is_backward(b.kind)) ++passes[1][b.chunk];
    if (b.kind == pass::backward || b.kind == pass::backward_weights) ++passes[2][b.chunk];
  }
  for (std::size_t chunk = 0; chunk < oldest; ++chunk) {
    if (passes[0][chunk] != passes[1][chunk] || passes[0][chunk] != passes[2][chunk]) return false;
  }
  return true;
}

/// The program itself, or one for fewer micro-batches of which every IPU repeats one phase less often, and nothing else differs.
template <class Program>
[[nodiscard]] constexpr Program shortened(Program t) {
  const std::size_t count = t.where.micro_batches;
  const std::size_t directions = t.where.directions();
  std::size_t repeats = nowhere;
  for (std::size_t ipu = 0; ipu < t.where.ipus && !t.refused; ++ipu) {
    std::size_t most = 0;
    for (const program_phase& phase : t.phases(t.where, ipu)) {
      if (keeps_as_much(phase) && phase.times > most) most = phase.times;
    }
    if (most < repeats) repeats = most;
  }
  if (repeats <= 2 || repeats == nowhere || (repeats - 2) * directions >= count) return t;
  Program shorter = t;
  shorter.where.micro_batches = count - (repeats - 2) * directions;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    const phase_list many = t.phases(t.where, ipu);
    const std::size_t phase = growing_phase(many, t.phases(shorter.where, ipu), repeats - 2);
    if (phase >= many.size() || !keeps_as_much(many[phase])) return t;
  }
  return shorter;
}

/// The timetable to walk over in order to count.
template <timetable T>
[[nodiscard]] constexpr decltype(auto) to_count(const T& t) {
  if constexpr (requires { t.phases(t.where, std::size_t{}); }) {
    return shortened(t);
  } else {
    return (t);
  }
}

}  // namespace ipuflow::schedule::impl
