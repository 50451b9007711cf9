// SPDX-License-Identifier: BSL-1.0
// The schedules of the catalogue that put stages where a search has them, as tables that it can begin with: what is found is then no
// worse than the best of them that fits its memory.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/schedule/forms/table.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::schedule {

namespace impl {

/// The passes of a kind beyond which no tables are made: a search of more gets through few orders, and each table takes its bytes.
inline constexpr std::size_t most_tabled = std::size_t{1} << 20;

/// True if both have each stage on the same single IPU.
template <whereabouts One, whereabouts Other>
[[nodiscard]] constexpr bool placed_alike(const One& one, const Other& other) {
  if (one.stages != other.stages || one.ipus != other.ipus || one.directions() != 1) return false;
  for (std::size_t stage = 0; stage < one.stages; ++stage) {
    if (one.ipu_of(one.first_seat(stage), 0) != other.ipu_of(other.first_seat(stage), 0)) return false;
  }
  return true;
}

}  // namespace impl

/// Those for training. Orders that depend on costs are those for these.
template <whereabouts Where, pricing Costs>
[[nodiscard]] dynamic_array<table> catalogue_tables(const Where& where, const Costs& costs) {
  dynamic_array<table> found;
  if (where.ipus == 0 || where.stages == 0 || where.stages % where.ipus != 0) return found;
  if (where.micro_batches >= impl::most_tabled / where.stages) return found;
  const setup asked{.ipus = where.ipus, .stages_per_ipu = where.stages / where.ipus, .micro_batches = where.micro_batches};
  for (const std::string_view name : schedule_names) {
    with_schedule(name, asked, costs, [&](const auto& t) {
      if (!t.refused && t.run_for == mode::training && impl::placed_alike(t.where, where)) found.push_back(tabulate(t));
    });
  }
  return found;
}

}  // namespace ipuflow::schedule
