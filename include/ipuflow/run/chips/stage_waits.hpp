// SPDX-License-Identifier: BSL-1.0
// The values that wait for a stage on its chip while a timetable runs, as the depths of the rings that its program has there. Chips with
// the same stages and the same waits have the same program.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/program/graph.hpp>
#include <ipuflow/run/chips/plan.hpp>

#include <array>
#include <cstddef>

namespace ipuflow::run {

/// Depths of rings: 0 where values are read from where they were made, or from one place beside it.
struct stage_waits {
  std::size_t stage = 0;
  std::size_t chip = 0;
  std::size_t arriving = 0;   ///< what entered, before its forward
  std::size_t values = 0;     ///< what the forward leaves for the backward
  std::size_t returning = 0;  ///< gradients of what left, before their backward
  std::size_t slopes = 0;     ///< what the backward for inputs leaves for the one for weights
  std::array<std::size_t, 4> listed{};  ///< slots that those four take out of turn: each push and pull of a run
  bool has_place_beside = false;       ///< for what enters
  bool has_place_beside_back = false;  ///< for gradients that come back
  bool recomputes = false;
  bool is_staged = false;  ///< the host's values come while those before them are in use

  friend constexpr bool operator==(const stage_waits&, const stage_waits&) = default;
};

/// Those of all stages, for each chip that has one. `again`: stages that recompute within their backwards.
template <class = void>
[[nodiscard]] light_vector<stage_waits> waits_of(const schedule::table& t, const schedule::stage_set& again = {}, bool mails = false) {
  const impl::chips_plan plan(t, again, mails);
  const auto listed = [](const impl::carried_values& v) { return ipu::listed_slots<>(v.plan.pushes, v.plan.pulls); };
  light_vector<stage_waits> made;
  for (const impl::part_plan& p : plan.parts()) {
    made.push_back({.stage = p.stage,
                    .chip = p.chip,
                    .arriving = p.arriving.plan.depth,
                    .values = p.values.plan.depth,
                    .returning = p.returning.plan.depth,
                    .slopes = p.slopes.plan.depth,
                    .listed = {listed(p.arriving), listed(p.values), listed(p.returning), listed(p.slopes)},
                    .has_place_beside = p.arriving.waits,
                    .has_place_beside_back = p.returning.waits,
                    .recomputes = p.recomputes,
                    .is_staged = p.staged});
  }
  return made;
}

}  // namespace ipuflow::run
