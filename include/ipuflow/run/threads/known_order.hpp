// SPDX-License-Identifier: BSL-1.0
// The order of forwards as the closed form of a timetable gives it, without a walk: depths, and whether micro-batches come one by one.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>

namespace ipuflow::run {

/// For each stage, how many values are behind its entry until they are released: by its one branch, or by the stage after it
/// if it has several, since that joins them.
using depths = light_vector<std::size_t>;

namespace impl {

/// The depths that an order needs, where they are known, and whether each micro-batch enters when the one ahead of it is through.
struct known_order {
  depths needed{};
  bool one_by_one = false;
};

template <class Where>
constexpr bool one_by_one(const schedule::modular<Where>& t) {
  const schedule::line& l = t[schedule::pass::forward];
  if (t.part_count != 1 || t.parts[0].group != 1 || t.where.stages == 0) return false;
  for (std::size_t stage = 1; stage < t.where.stages; ++stage) {
    if (l.base(stage, t.span) <= l.base(stage - 1, t.span)) return false;
  }
  return l.base(t.where.stages - 1, t.span) - l.base(0, t.span) < l.per_group;
}

/// At a cost that does not grow with the micro-batches, and never less than what is needed; nothing where steps order only the IPUs'
/// own operations.
template <class Where>
depths closed_depths(const schedule::modular<Where>& t) {
  using schedule::step_number;
  const std::size_t stages = t.where.stages;
  depths needed(stages, 0);
  for (std::size_t i = 0; i < t.part_count; ++i) {
    const schedule::part& p = t.parts[i];
    const schedule::line& l = p[schedule::pass::forward];
    if (p.micro_batches == 0) continue;
    if (l.per_group < 0 || l.per_member < 0) return {};
    for (std::size_t stage = 0; stage < stages; ++stage) {
      const std::size_t from = stage == 0 ? 0 : stage - 1;
      const std::size_t to = algorithms::min(stage + 1, stages - 1);
      const step_number apart = l.base(to, t.span) - l.base(from, t.span);
      if (stage > 0 && l.base(stage, t.span) <= l.base(stage - 1, t.span)) return {};
      const std::size_t groups = l.per_group == 0 ? p.groups() : static_cast<std::size_t>(apart / l.per_group) + 2;
      needed[stage] += algorithms::min(groups * p.group, p.micro_batches);
    }
  }
  return needed;
}

template <schedule::timetable T>
[[nodiscard]] known_order known_of(const T&) {
  return {};
}
template <class Where>
[[nodiscard, gnu::cold, gnu::noinline]] known_order known_of(const schedule::modular<Where>& t) {
  return {impl::closed_depths(t), impl::one_by_one(t)};
}

}  // namespace impl

}  // namespace ipuflow::run

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow::run::impl {
extern template known_order known_of<schedule::grid>(const schedule::modular<schedule::grid>&);
}
#endif
