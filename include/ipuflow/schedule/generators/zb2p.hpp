// SPDX-License-Identifier: BSL-1.0
// Zero bubble at twice the memory of 1F1B: the backward is split, each IPU warms up so far that its first backward
// never waits, and gradients for weights come late enough to fill the ramp-down. Qi et al., "Zero bubble pipeline
// parallelism".
#pragma once

#include <ipuflow/schedule/analysis/timeline.hpp>
#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/generator.hpp>
#include <ipuflow/schedule/generators/zb2p_filled.hpp>

#include <cstddef>

namespace ipuflow::schedule {

namespace impl {

inline constexpr auto zb2p_lines = generator<"zb2p">({.stages_per_ipu = 1}, [](const grid& where) {
  auto t = lines_on(where);
  const step_number ipus = number(where.ipus);
  t[pass::forward] = {.runs = who::everyone, .at = 0, .per_stage = 3, .per_group = 3};
  t[pass::backward_inputs] = {.runs = who::everyone, .at = 6 * ipus - 5, .per_stage = -3, .per_group = 3};
  t[pass::backward_weights] = {.runs = who::everyone, .at = 6 * ipus - 4, .per_stage = 3, .per_group = 3};
  return t;
});

struct zb2p_t : decltype(zb2p_lines) {
  static constexpr bool depends_on_costs = true;
  static constexpr std::size_t most_operations = std::size_t{1} << 20;  ///< of a table

  /// Calls `use(timetable)` with the order for these costs: a table, where it is shorter than the lines and not too large.
  template <pricing Costs, class Use>
  constexpr decltype(auto) by_costs(const setup& asked, const Costs& c, Use&& use) const {
    const modular<> lines = (*this)(asked);
    if (lines.refused || 3 * lines.where.stages * lines.where.micro_batches > most_operations) return use(lines);
    const table filled = zb2p_filled(lines.where, c);
    return end_of(filled, c) < end_of(lines, c) ? use(filled) : use(lines);
  }

 private:
  template <timetable T, pricing Costs>
  static constexpr std::size_t end_of(const T& t, const Costs& c) {
    std::size_t last = 0;
    for_each_timed(t, c, [&](std::size_t, std::size_t, const placed&, span_of_time span) {
      if (span.finish > last) last = span.finish;
    });
    return last == 0 ? nowhere : last;
  }
};

}  // namespace impl

/// As a call and by its name it is the order for equal costs; for other costs, `with_schedule` gives the order that these ask for.
inline constexpr impl::zb2p_t zb2p{impl::zb2p_lines};

}  // namespace ipuflow::schedule
