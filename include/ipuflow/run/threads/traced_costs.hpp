// SPDX-License-Identifier: BSL-1.0
// The times of the passes of a run on host threads, as costs for the analysis of schedules and for a search: in nanoseconds, of each
// stage and pass the median, so that an interruption of a thread does not count.
#pragma once

#include <ipuflow/core/clock.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/run/trace.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>

namespace ipuflow::run {

namespace impl {

/// The median of the nanoseconds that a pass of a stage took; 0 if it never ran.
template <class = void>
[[nodiscard]] std::size_t median_time(const trace& traced, schedule::pass kind, std::size_t stage) {
  light_vector<std::size_t> took;
  for (const event& e : traced.events()) {
    if (e.what.kind != kind || e.what.stage != stage) continue;
    took.push_back(static_cast<std::size_t>(std::chrono::nanoseconds(e.finish - e.start).count()));
  }
  if (took.empty()) return 0;
  algorithms::sort(took.begin(), took.end());
  return took[took.size() / 2];
}

}  // namespace impl

/// Costs in nanoseconds. Where only whole backwards ran, half of each is that for inputs and half that for weights. A message
/// between two stages takes `message`.
template <schedule::timetable T>
[[nodiscard]] schedule::costs_of_stages<schedule::most_stages> costs_in(const trace& traced, const T& t, std::size_t message) {
  using schedule::pass;
  schedule::costs_of_stages<schedule::most_stages> made;
  for (std::size_t stage = 0; stage < t.where.stages; ++stage) {
    const auto of = [&](pass kind) { return impl::median_time(traced, kind, stage); };
    const std::size_t whole = of(pass::backward);
    const std::size_t inputs = of(pass::backward_inputs);
    const std::size_t weights = of(pass::backward_weights);
    const bool split = inputs + weights > 0;
    made.stage.push_back({.forward = of(pass::forward),
                          .backward_inputs = split ? inputs : whole - whole / 2,
                          .backward_weights = split ? weights : whole / 2,
                          .communication = message,
                          .update = of(pass::update),
                          .recompute = of(pass::recompute)});
  }
  return made;
}

}  // namespace ipuflow::run
