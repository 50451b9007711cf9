// SPDX-License-Identifier: BSL-1.0
// Two stages per IPU, laid out in a V, so that the last stage meets the first IPU again: with equal times of the three
// passes there is no bubble but the skew of the start, at the memory of 1F1B. Qi et al., "Pipeline parallelism with
// controllable memory" (the order is the published handcrafted one).
#pragma once

#include <ipuflow/schedule/forms/program.hpp>
#include <ipuflow/schedule/generators/generator.hpp>
#include <ipuflow/schedule/generators/v_half.hpp>

#include <cstddef>

namespace ipuflow::schedule {

namespace detail {

constexpr program_phase repeat(std::size_t times, bounded_vector<beat, 6> beats) { return {times, beats}; }

constexpr phase_list zbv_phases(const grid& where, std::size_t ipu) {
  constexpr beat f0{pass::forward, 0}, f1{pass::forward, 1};
  constexpr beat i0{pass::backward_inputs, 0}, i1{pass::backward_inputs, 1};
  constexpr beat w0{pass::backward_weights, 0}, w1{pass::backward_weights, 1};
  const std::size_t fill = 2 * where.ipus - 1;
  const std::size_t count = where.micro_batches > fill ? where.micro_batches : fill;
  const std::size_t after = where.ipus - ipu;
  phase_list phases;
  phases.push_back(repeat(2 * after - 1, {{f0}, 1}));
  phases.push_back(repeat(ipu, {{f1, f0}, 2}));
  phases.push_back(repeat(after, {{f1, i1, w1}, 3}));
  phases.push_back(repeat(count - fill + ipu, {{f0, i0, w0, f1, i1, w1}, 6}));
  phases.push_back(repeat(after - 1, {{i0, w0, f1, i1, w1}, 5}));
  phases.push_back(repeat(ipu, {{i0, i1}, 2}));
  phases.push_back(repeat(after, {{i0, w0}, 2}));
  phases.push_back(repeat(ipu, {{w1}, 1}));
  phases.push_back(repeat(ipu, {{w0}, 1}));
  return phases;
}

}  // namespace detail

namespace impl {

inline constexpr auto zbv_phases = generator<"zbv">({.stages_per_ipu = 2, .stages = layout::vee}, [](const grid& where) {
  return program{.where = where, .phases = &detail::zbv_phases, .settled = 4 * where.ipus};
});

/// An order for micro-batches that are too few to fill the pipeline: each IPU takes what is ready, in the order of the block of
/// `v_half`, within the same memory.
template <class = void>
[[nodiscard]] constexpr table zbv_of_few(const grid& where) {
  const std::size_t kept = 2 * where.ipus;
  table found{where, mode::training};
  v_half_attempt{where, kept, {.kept_first = kept, .extra = 3, .frees = true}}.run(
      [&](std::size_t ipu, op o, std::size_t step) { found.rows[ipu].push_back({o, step, false}); });
  return found;
}

struct zbv_t : decltype(zbv_phases) {
  /// Calls `use(timetable)` with the published phases; with fewer micro-batches than these fill, with a table that is shorter.
  template <class Use>
  constexpr decltype(auto) by_name(const setup& asked, Use&& use) const {
    const program phases = (*this)(asked);
    if (phases.refused || phases.where.micro_batches + 1 >= 2 * phases.where.ipus) return use(phases);
    return use(zbv_of_few(phases.where));
  }
};

}  // namespace impl

/// As a call it is the published phases for all sizes; by its name a shorter table where micro-batches are few.
inline constexpr impl::zbv_t zbv{impl::zbv_phases};

}  // namespace ipuflow::schedule
