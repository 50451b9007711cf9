// SPDX-License-Identifier: BSL-1.0
// Values that wait for the stages of a schedule, whatever the number of its bodies.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/predict/chip_memory.hpp>
#include <ipuflow/plan/predict/schedule_steps.hpp>
#include <ipuflow/run/chips/stage_waits.hpp>
#include <ipuflow/schedule/forms/stage_set.hpp>

#include <cstddef>

namespace ipuflow::train::impl {

/// Values that wait with few bodies, and how deep their rings are on each chip: they grow by as much with each body of the schedule.
struct schedule_waits {
  light_vector<run::stage_waits> waits{};
  light_vector<light_vector<plan::ring_depths>> depths{};
};

template <class = void>
[[nodiscard]] schedule_waits waits_of(const plan::schedule_steps& steps, const schedule::stage_set& recompute, bool mails) {
  schedule_waits made{.waits = run::waits_of(steps.few, recompute, mails)};
  const light_vector<run::stage_waits> more = steps.bodies > 0 ? run::waits_of(steps.more, recompute, mails) : made.waits;
  const auto depths = [](const run::stage_waits& w) { return plan::ring_depths{w.arriving, w.values, w.returning, w.slopes}; };
  made.depths.resize(steps.ipus);
  for (std::size_t i = 0; i < more.size(); ++i) {
    plan::ring_depths& all = made.depths[more[i].chip].emplace_back(depths(made.waits[i]));
    for (std::size_t r = 0; r < all.size(); ++r) all[r] += (depths(more[i])[r] - all[r]) * steps.bodies;
  }
  return made;
}

}  // namespace ipuflow::train::impl
