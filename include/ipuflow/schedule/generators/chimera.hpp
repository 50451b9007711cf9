// SPDX-License-Identifier: BSL-1.0
// Two pipelines in opposite directions over the same IPUs, each running half of the micro-batches as 1F1B: the forwards
// and backwards of one fall into the gaps of the other. Every stage is on two IPUs. Li and Hoefler, "Chimera".
// Units of P micro-batches follow each other without a gap. If P does not divide their number, units are larger, so that
// none is short: in a unit of h micro-batches per direction, the backwards of a stage use, 2h steps later, the slots of
// the opposite direction's forwards; this holds for every h of at least P/2.
#pragma once

#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/generator.hpp>

#include <cstddef>

namespace ipuflow::schedule {

inline constexpr auto chimera = generator<"chimera">(
    {.stages_per_ipu = 2, .least = 2, .multiple = 2, .even_ipus = true, .stages = layout::mirrored},
    [](const grid& where) {
      auto t = lines_on(where);
      const std::size_t half = where.micro_batches / 2;
      const std::size_t unit = where.ipus / 2;
      const std::size_t units = half < unit ? 1 : half / unit;
      const std::size_t larger = half % units * (half / units + 1);
      t.part_count = larger == 0 ? 1 : 2;
      if (larger > 0) t.parts[0].assign(0, larger, half / units + 1);
      t.parts[t.part_count - 1].assign(larger, half - larger, half / units);
      for (std::size_t i = 0; i < t.part_count; ++i) {
        part& p = t.parts[i];
        const step_number slots = 2 * number(p.group < unit ? unit : p.group);
        const step_number first = 4 * number(p.first);
        const step_number turn = first + number(where.ipus) - 1 + slots;
        p[pass::forward] = {
            .runs = who::everyone, .at = first, .per_stage = 1, .per_member = 2, .per_group = 2 * slots};
        p[pass::backward] = {
            .runs = who::everyone, .at = turn, .per_stage = -1, .per_member = 2, .per_group = 2 * slots};
      }
      return t;
    });

}  // namespace ipuflow::schedule
