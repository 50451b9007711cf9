// SPDX-License-Identifier: BSL-1.0
// The schedules of the catalogue as points beside a frontier: their time with the same costs, and the most bytes that an IPU
// holds at any instant of them.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/timeline.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/schedule/generators/catalogue_tables.hpp>
#include <ipuflow/schedule/search/search.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::schedule {

/// A schedule of the catalogue, with the costs and bytes of a search.
struct catalogue_point {
  std::string_view name{};      ///< as in the catalogue
  std::size_t time = 0;         ///< in the metric of the search
  std::size_t peak_bytes = 0;   ///< on the fullest IPU at any instant
  bool placed_alike = true;     ///< its stages are on the IPUs that the search has them on
};

/// The most bytes that an IPU holds at any instant: it runs its operations in their order, and the end of each adds or frees. `stages` has
/// one record, or one of each stage.
template <timetable T>
[[nodiscard]] constexpr std::size_t peak_bytes(const T& t, const dynamic_array<activation_bytes>& stages) {
  std::ptrdiff_t most = 0;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    std::ptrdiff_t held = 0;
    for (auto w = t.walk(ipu); w; ++w) {
      const activation_bytes& of = stages[stages.size() == 1 ? 0 : w->stage];
      if (w->kind == pass::forward) held += of.after_forward;
      if (w->kind == pass::backward || w->kind == pass::backward_inputs) held += of.after_inputs;
      if (w->kind == pass::backward || w->kind == pass::backward_weights) held += of.after_weights;
      if (held > most) most = held;
    }
  }
  return static_cast<std::size_t>(most);
}

namespace impl {

/// The time of a timetable as a search counts it, updates of weights left out.
template <timetable T, pricing Costs>
[[nodiscard]] constexpr std::size_t searched_time(const T& t, const Costs& costs, search_metric metric) {
  dynamic_array<amount> offset(t.where.ipus);
  if (metric == search_metric::span) offset = first_forwards(instance_of(t.where, costs, {{}, 0}, true));
  std::size_t longest = 0;
  for_each_timed(t, costs, [&](std::size_t ipu, std::size_t, const placed& o, span_of_time span) {
    const std::size_t end = span.finish - static_cast<std::size_t>(offset[ipu]);
    if (o.kind != pass::update && end > longest) longest = end;
  });
  return longest;
}

}  // namespace impl

/// The schedules of the catalogue for as many stages on as many IPUs, the fastest first; those that put a stage on several IPUs
/// or refuse the sizes are left out. Orders that depend on costs are those for these. Stages may be on other IPUs than `where` has them.
template <whereabouts Where, pricing Costs>
[[nodiscard]] dynamic_array<catalogue_point> catalogue_points(const Where& where, const Costs& costs,
                                                              const dynamic_array<activation_bytes>& stages, search_metric metric) {
  if (stages.size() != 1 && stages.size() != where.stages) throw_if(search_fault{search_wrong::memory_records, stages.size(), where.stages});
  dynamic_array<catalogue_point> found;
  if (where.ipus == 0 || where.stages % where.ipus != 0) return found;
  const setup asked{.ipus = where.ipus, .stages_per_ipu = where.stages / where.ipus, .micro_batches = where.micro_batches};
  for (const std::string_view name : schedule_names) {
    with_schedule(name, asked, costs, [&](const auto& t) {
      if (t.refused || t.run_for != mode::training || t.where.stages != where.stages || t.where.directions() != 1) return;
      catalogue_point made{name, impl::searched_time(t, costs, metric), peak_bytes(t, stages)};
      made.placed_alike = impl::placed_alike(t.where, where);
      found.push_back(made);
      for (std::size_t i = found.size() - 1; i > 0 && found[i - 1].time > found[i].time; --i) {
        const catalogue_point kept = found[i];
        found[i] = found[i - 1];
        found[i - 1] = kept;
      }
    });
  }
  return found;
}

}  // namespace ipuflow::schedule
