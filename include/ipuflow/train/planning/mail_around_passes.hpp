// SPDX-License-Identifier: BSL-1.0
// The cycles of the copies around a chip's passes: from and to its I/O tiles, where values come from other chips and leave for them, and from
// one of its stages to another at the end of a step.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/run/chips/profile.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/op.hpp>
#include <ipuflow/train/planning/work_shares.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::train::impl {

/// Of each stage of a chip, and of all passes of a kind: what brings their values, and what puts there what they made.
struct mail_times {
  light_vector<std::array<std::uint64_t, schedule::pass_count>> taken{}, posted{};
};

/// True if what a chip makes in a pass of a stage goes to another chip, or to the host.
[[nodiscard]] constexpr bool leaves_chip(const schedule::roster& where, std::size_t chip, std::size_t stage, schedule::pass p) {
  const bool onwards = p == schedule::pass::forward;
  if (onwards && stage + 1 == where.stages) return true;
  if (!onwards && (!schedule::is_backward(p) || stage == 0)) return false;
  const auto chip_of = [&](std::size_t s, std::size_t micro_batch) { return where.ipu_of(where.first_seat(s), micro_batch); };
  const std::size_t one = chip_of(stage, 0) == chip ? 0 : where.micro_batches - 1;  // a micro-batch that the chip has
  return chip_of(onwards ? stage + 1 : stage - 1, one) != chip;
}

/// True if what a chip makes in a pass of a stage goes to another stage that it has.
[[nodiscard]] constexpr bool stays_on_chip(const schedule::roster& where, std::size_t chip, std::size_t stage, schedule::pass p) {
  const bool read = p == schedule::pass::forward ? stage + 1 < where.stages : schedule::is_backward(p) && stage > 0;
  return read && !leaves_chip(where, chip, stage, p);
}

/// Of each stage of a chip, and of all passes of a kind: what hands on to another one of its stages where steps end.
template <class = void>
[[nodiscard]] light_vector<pass_counts> handed_on_chip(const run::chips_profile& seen, std::size_t chip, const light_vector<std::size_t>& stages,
                                                       const schedule::table& t) {
  light_vector<pass_counts> made(stages.size(), pass_counts{});
  std::uint64_t* by = nullptr;  // the pass of this step that does
  seen.for_each([&](const run::chips_activity& a) {
    const auto at = algorithms::find(stages.begin(), stages.end(), a.what.stage);
    const bool ends_step = a.what.work == run::chips_work::exchange && a.what.chip == schedule::nowhere && a.what.stage == schedule::nowhere;
    if (a.what.work == run::chips_work::pass && a.what.chip == chip && at != stages.end() && stays_on_chip(t.where, chip, *at, a.what.pass))
      by = &made[static_cast<std::size_t>(at - stages.begin())][static_cast<std::size_t>(a.what.pass)];
    if (!ends_step || by == nullptr) return true;
    for (const ipu::phase_run& r : seen.chips.phases[a.phases]) {
      if (r.chip == chip && r.what != ipu::phase::inter_chip) *by += r.length.value;
    }
    by = nullptr;
    return true;
  });
  return made;
}

/// `stages`: of the chip. What is behind a pass whose value leaves puts it on I/O tiles; all else brings something.
template <class = void>
[[nodiscard]] mail_times mail_around_passes(const run::chips_profile& seen, std::size_t chip, const light_vector<std::size_t>& stages,
                                            const schedule::table& t) {
  mail_times made;
  made.taken.resize(stages.size()), made.posted.resize(stages.size());
  light_vector<std::array<bool, schedule::pass_count>> is_made(stages.size());  // and has not left yet
  seen.for_each([&](const run::chips_activity& a) {
    const auto at = algorithms::find(stages.begin(), stages.end(), a.what.stage);
    if (a.what.chip != chip || at == stages.end()) return true;
    const auto stage = static_cast<std::size_t>(at - stages.begin()), pass = static_cast<std::size_t>(a.what.pass);
    if (a.what.work == run::chips_work::pass) is_made[stage][pass] = leaves_chip(t.where, chip, *at, a.what.pass);
    if (a.what.work != run::chips_work::exchange) return true;
    (std::exchange(is_made[stage][pass], false) ? made.posted : made.taken)[stage][pass] += (a.finish - a.start).value;
    return true;
  });
  return made;
}

}  // namespace ipuflow::train::impl
