// SPDX-License-Identifier: BSL-1.0
// The moves of values that wait for a stage on its chip, as a timetable has them: in which step they are put by, brought back or
// copied to where they are read. They are the ones of the program, in the order of the program.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/run/chips/plan.hpp>

#include <cstddef>

namespace ipuflow::run {

/// A move in a step of the timetable. Its kind tells what is moved and how: moves of one kind of a stage take the same time.
struct stage_move {
  std::size_t step = 0;
  std::size_t kind = 0;  ///< below `kinds_of_moves`

  friend constexpr bool operator==(const stage_move&, const stage_move&) = default;
};

/// One for each way of each channel, and one for what the host sent early.
inline constexpr std::size_t kinds_of_moves = impl::ways * impl::part_channels + 1;

/// A stage on a chip with all of its moves.
struct moves_of_stage {
  std::size_t stage = 0;
  std::size_t chip = 0;
  light_vector<stage_move> all{};
};

namespace impl {

[[nodiscard]] constexpr std::size_t kind_of_move(carried_by which, std::size_t channel) {
  return ways * channel + static_cast<std::size_t>(way_of(which));
}

}  // namespace impl

/// The channel of a kind, as `chips_program::moves` counts them.
[[nodiscard]] constexpr std::size_t channel_of_move(std::size_t kind) { return kind / impl::ways; }

/// Those of all stages, for each chip that has one, where chips end steps together. `again`: stages that recompute within their backwards.
template <class = void>
[[nodiscard]] light_vector<moves_of_stage> moves_of(const schedule::table& t, const schedule::stage_set& again = {}) {
  const impl::chips_plan plan(t, again);
  light_vector<moves_of_stage> made;
  for (const impl::part_plan& p : plan.parts()) {
    moves_of_stage& of = made.emplace_back(moves_of_stage{p.stage, p.chip, {}});
    for (std::size_t e = 0; e < p.events.size(); ++e) {
      const auto add = [&](impl::carried_by which, std::size_t channel) { of.all.push_back({p.events[e].step, impl::kind_of_move(which, channel)}); };
      impl::each_move(p.actions(e), true, add);
      if (p.staged && p.events[e].what == impl::part_work::forward) of.all.push_back({p.events[e].step, kinds_of_moves - 1});
      impl::each_move(p.actions(e), false, add);
    }
  }
  return made;
}

}  // namespace ipuflow::run
