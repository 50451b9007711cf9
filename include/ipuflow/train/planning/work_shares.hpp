// SPDX-License-Identifier: BSL-1.0
// Shares of the time that a chip works for micro-batches, by what it does. A step has many more of these than a counted program, but one
// update, which is left out. And the number of its passes, the time in which sums are cleared that are in streaming memory, and its meetings
// with other chips.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/predict/counted_chip.hpp>
#include <ipuflow/run/chips/profile.hpp>
#include <ipuflow/schedule/forms/table.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace ipuflow::train::impl {

/// The number of times that each pass of a stage is run.
using pass_counts = std::array<std::uint64_t, schedule::pass_count>;

/// The pass of a timetable that one is part of: a recomputation within a backward pass is.
[[nodiscard]] constexpr schedule::pass part_of(schedule::pass p, const pass_counts& count) {
  if (p != schedule::pass::recompute || count[static_cast<std::size_t>(p)] > 0) return p;
  return count[static_cast<std::size_t>(schedule::pass::backward)] > 0 ? schedule::pass::backward : schedule::pass::backward_inputs;
}

/// Of the stages of a chip.
template <class = void>
[[nodiscard]] light_vector<pass_counts> passes_of_stages(const schedule::table& t, std::size_t chip, const light_vector<std::size_t>& stages) {
  light_vector<pass_counts> made(stages.size(), pass_counts{});
  for (const schedule::placed& o : t.rows[chip]) {
    const auto at = algorithms::find(stages.begin(), stages.end(), o.stage);
    if (at != stages.end()) ++made[static_cast<std::size_t>(at - stages.begin())][static_cast<std::size_t>(o.kind)];
  }
  return made;
}

/// By `work_of_chip`.
template <class = void>
[[nodiscard]] std::array<double, plan::kinds_of_work> work_shares(const run::chips_profile& seen, std::size_t chip) {
  constexpr ipu::phase kinds[] = {ipu::phase::compute, ipu::phase::exchange, ipu::phase::sync, ipu::phase::streaming};
  std::array<double, plan::kinds_of_work> parts{};
  double all = 0;
  seen.for_each([&](const run::chips_activity& a) {
    const bool once = a.what.work >= run::chips_work::clear || a.what.pass == schedule::pass::update;
    if (a.what.chip != chip || once) return true;
    for (const ipu::phase_run& r : seen.chips.phases[a.phases]) {
      const auto at = algorithms::find(std::begin(kinds), std::end(kinds), r.what);
      if (r.chip != chip || at == std::end(kinds)) continue;
      parts[static_cast<std::size_t>(at - std::begin(kinds))] += static_cast<double>(r.length.value);
      all += static_cast<double>(r.length.value);
    }
    return true;
  });
  for (double& part : parts) part = all > 0 ? part / all : 0;
  return parts;
}

/// Cycles in which a chip stores zeros before its first pass: a part of its update by their label, but the host works ahead meanwhile.
template <class = void>
[[nodiscard]] cycles cleared_away(const run::chips_profile& seen, std::size_t chip) {
  cycles made{};
  seen.for_each([&](const run::chips_activity& a) {
    if (a.what.chip != chip) return true;
    if (a.what.work == run::chips_work::store && a.what.pass == schedule::pass::update) made += a.finish - a.start;
    return a.what.work != run::chips_work::pass;
  });
  return made;
}

/// The parts of a chip's update before it meets others, and how long they meet.
template <class = void>
[[nodiscard]] std::array<plan::chip_meeting, plan::meetings_of_chips> meetings_of(const run::chips_profile& seen, std::size_t chip) {
  using run::chips_work;
  std::array<plan::chip_meeting, plan::meetings_of_chips> made{};
  cycles before{};
  seen.for_each([&](const run::chips_activity& a) {
    const bool loads = a.what.work == chips_work::load && a.what.pass == schedule::pass::update;
    const bool reduces = a.what.work == chips_work::reduce, updates = a.what.work == chips_work::update;
    if (a.what.chip == chip && (loads || reduces || updates)) before += a.finish - a.start;
    if (a.what.chip != schedule::nowhere || !(reduces || updates)) return true;
    const bool tells = reduces && a.what.pass == schedule::pass::update;
    plan::chip_meeting& meeting = made[static_cast<std::size_t>(tells ? plan::meeting_of_chips::told : plan::meeting_of_chips::sums)];
    meeting.together += a.finish - a.start;
    if (reduces) meeting.before += std::exchange(before, cycles{});
    return true;
  });
  return made;
}

}  // namespace ipuflow::train::impl
