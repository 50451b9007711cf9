// SPDX-License-Identifier: BSL-1.0
// The times of the stages of a run on chips, as costs for the analysis of schedules: `schedule::times_of` says what the same
// timetable, or another one, takes with them.
#pragma once

#include <ipuflow/run/chips/profile.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/forms/recomputation.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace ipuflow::run {

namespace impl {

/// The stages that a timetable has a pass of recomputation for; those that others recompute are part of their backwards.
template <schedule::timetable T>
[[nodiscard]] std::array<bool, schedule::most_stages> recomputed_apart(const T& t) {
  std::array<bool, schedule::most_stages> made{};
  if constexpr (requires { t.recompute; }) {
    if (t.recompute == schedule::recomputation::and_backpropagate) return made;
  }
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    for (auto w = t.walk(ipu); w; ++w) {
      if (w->kind == schedule::pass::recompute) made[w->stage] = true;
    }
  }
  return made;
}

}  // namespace impl

/// Costs in cycles where chips wait for neighbours, a pass with all that its chip does around it, as a mean over micro-batches. A message between two
/// stages takes `message`, during which chips do something else.
template <schedule::timetable T>
[[nodiscard]] schedule::costs_of_stages<schedule::most_stages> costs_in(const chips_profile& p, const T& t, std::size_t message) {
  using schedule::pass;
  struct taken {
    std::array<std::uint64_t, 6> by_pass{};
    std::uint64_t once = 0;    // in a run
    std::uint64_t halves = 0;  // backward passes for weights
  };
  std::array<taken, schedule::most_stages> all{};
  std::uint64_t by_all = 0;  // once a run: sums over chips that have the same stage, which all chips take part in
  for (const label_total& l : p.totals()) {
    if (l.what.stage >= t.where.stages) {
      if (l.what.work >= chips_work::clear) by_all += l.busy.value;
      continue;
    }
    taken& of = all[l.what.stage];
    const bool once = l.what.work >= chips_work::clear || l.what.pass == pass::update;
    (once ? of.once : of.by_pass[static_cast<std::size_t>(l.what.pass)]) += l.busy.value;
    if (l.what.work == chips_work::pass && l.what.pass == pass::backward_weights) of.halves += l.times;
  }
  const std::array<bool, schedule::most_stages> apart = impl::recomputed_apart(t);
  const std::size_t count = t.where.micro_batches * p.runs;
  const std::size_t chips_of_each = t.where.ipu_of(0, 0) == t.where.ipu_of(0, t.where.micro_batches - 1) ? 1 : 2;
  schedule::costs_of_stages<schedule::most_stages> made;
  for (std::size_t stage = 0; stage < t.where.stages; ++stage) {
    const auto of = [&](pass kind) { return all[stage].by_pass[static_cast<std::size_t>(kind)]; };
    const std::uint64_t again = of(pass::recompute);
    const std::uint64_t back = of(pass::backward) + of(pass::backward_inputs) + of(pass::backward_weights) + (apart[stage] ? 0 : again);
    const std::uint64_t weights = all[stage].halves == 0 ? 0 : of(pass::backward_weights) / all[stage].halves;
    made.stage.push_back({.forward = of(pass::forward) / count,
                          .backward_inputs = back == 0 ? 0 : back / count - weights,
                          .backward_weights = weights,
                          .communication = message,
                          .update = all[stage].once / (p.runs * chips_of_each) + by_all / (p.runs * chips_of_each * t.where.stages) * t.where.ipus,
                          .recompute = apart[stage] ? again / count : 0});
  }
  return made;
}

}  // namespace ipuflow::run
