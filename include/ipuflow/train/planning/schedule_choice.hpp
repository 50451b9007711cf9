// SPDX-License-Identifier: BSL-1.0
// The choice between schedules of one configuration: the fastest one that fits, and of equally fast ones the first.
#pragma once

#include <ipuflow/plan/predict/best.hpp>
#include <ipuflow/plan/predict/fits_fault.hpp>
#include <ipuflow/plan/predict/prediction.hpp>
#include <ipuflow/plan/predict/schedule_steps.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace ipuflow::train::impl {

/// The schedule with which a network is cut that has none yet.
[[nodiscard]] inline std::string usual_schedule(mode run_for, std::size_t stages_per_ipu) {
  if (run_for == mode::inference) return "inference";
  return stages_per_ipu < 2 ? "1f1b" : "interleaved_1f1b";
}

/// The schedules with which chips are counted for a search: they say where stages are, and whether backwards are split.
struct search_base {
  std::string_view name;
  bool split;
};
inline constexpr search_base search_bases[] = {{"1f1b", false}, {"zb1p", true}, {"interleaved_1f1b", false}, {"zbv", true}};

/// The best schedule so far.
struct schedule_choice {
  std::string name{};
  const plan::schedule_steps* steps = nullptr;
  bool fits = false;
  double speed = 0;
  double headroom = plan::staging{}.headroom;  ///< of each tile's memory, to be kept free

  /// Takes a schedule if it is better.
  void take(std::string_view called, const plan::schedule_steps& of, const plan::prediction& p) {
    const bool enough = !plan::verify_fits(p, headroom);
    const double faster = p.samples_per_second();
    if (steps != nullptr && (enough != fits ? fits : faster <= speed)) return;
    name = called, steps = &of, fits = enough, speed = faster;
  }
};

/// The best schedule of a configuration. `steps_of(c)` has the steps of its schedule, or none if that has other stages;
/// `predict(c, steps)` plans them; `searched(c, steps, split)` has the steps of what is found with the costs of chips that are counted so.
template <class StepsOf, class Predict, class Searched>
[[nodiscard]] schedule_choice choose_schedule(plan::configuration c, const StepsOf& steps_of, const Predict& predict, const Searched& searched, double headroom = plan::staging{}.headroom) {
  schedule_choice best{.headroom = headroom};
  for (const std::string_view name : plan::planned_schedules) {
    c.schedule = name;
    if (const plan::schedule_steps* const steps = steps_of(c)) best.take(name, *steps, predict(c, *steps));
  }
  for (const search_base& base : search_bases) {
    c.schedule = base.name;
    const plan::schedule_steps* const steps = steps_of(c);
    if (steps == nullptr) continue;
    for (const plan::schedule_steps* found : searched(c, *steps, base.split))
      best.take(base.split ? "search, split backwards" : "search, whole backwards", *found, predict(c, *found));
  }
  return best;
}

}  // namespace ipuflow::train::impl
