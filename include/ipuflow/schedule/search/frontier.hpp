// SPDX-License-Identifier: BSL-1.0
// The frontier of time and memory: the best schedule within each limit. What is found within a limit fits every larger one, and a
// bound for a limit holds for every smaller one, so that both only fall from point to point.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/search/search.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// Options of a frontier.
struct frontier_options {
  search_options each{};                ///< of the search within each limit
  dynamic_array<std::size_t> limits{};  ///< bytes of an IPU that are asked for
  std::size_t chosen = 8;               ///< limits besides, the least and the most that are of use among them; 0: those asked for alone
};

/// The best schedule within a limit.
struct frontier_point {
  std::size_t limit = 0;  ///< bytes of an IPU
  searched best{};        ///< its `peak_bytes` may be less than the limit
};

/// The best schedules within ascending limits.
struct frontier_result {
  dynamic_array<frontier_point> points{};
  search_fault refused{};  ///< of the sizes, or of the least limit that was asked for
};

namespace impl {

/// Searches without a clock.
struct never_begins {
  constexpr never_stops operator()() const { return {}; }
};

/// The least that every IPU needs for one micro-batch alone.
constexpr std::size_t least_room(const search_instance& of) {
  search_instance none = of;
  amount least = 0;
  for (std::size_t ipu = 0; ipu < of.ipus; ++ipu) {
    none.limit = dynamic_array<amount>(of.ipus, static_cast<amount>(most_searched));
    none.limit[ipu] = -1;
    const auto needs = static_cast<amount>(verify_room(none).got);
    if (needs > least) least = needs;
  }
  return static_cast<std::size_t>(least);
}

/// The bytes that every change of what an IPU holds is a multiple of.
constexpr std::size_t unit_of(const search_instance& of) {
  amount unit = 0;
  for (const search_lane& lane : of.lanes) {
    for (amount rest = lane.memory < 0 ? -lane.memory : lane.memory; rest != 0;) {
      const amount next = unit % rest;
      unit = rest;
      rest = next;
    }
  }
  return unit == 0 ? 1 : static_cast<std::size_t>(unit);
}

/// Puts a point in its place, ascending.
constexpr void insert(dynamic_array<frontier_point>& points, const frontier_point& made) {
  points.push_back(made);
  for (std::size_t i = points.size() - 1; i > 0 && points[i - 1].limit > points[i].limit; --i) {
    const frontier_point kept = points[i];
    points[i] = points[i - 1];
    points[i - 1] = kept;
  }
}

/// A schedule serves larger limits, a bound smaller ones.
constexpr void make_monotone(dynamic_array<frontier_point>& points) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    searched& here = points[i].best;
    const searched& smaller = points[i - 1].best;
    if (smaller.found() > here.found() || (smaller.found() == here.found() && smaller.peak_bytes >= here.peak_bytes)) continue;
    const searched own = here;
    here = smaller;
    here.lower_bound = own.lower_bound;
    here.limit = own.limit;
  }
  for (std::size_t i = points.size(); i-- > 1;) {
    const searched& larger = points[i].best;
    searched& here = points[i - 1].best;
    if (larger.lower_bound <= here.lower_bound) continue;
    here.lower_bound = larger.lower_bound;
    here.limit = larger.limit;
  }
}

/// The limit that is asked next: in the middle of the widest gap across which the time still falls by a 256th.
constexpr std::size_t next_limit(const dynamic_array<frontier_point>& points, std::size_t unit) {
  std::size_t next = 0;
  std::size_t widest = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const frontier_point& from = points[i - 1];
    const frontier_point& to = points[i];
    if (to.best.found() + to.best.found() / 256 >= from.best.found()) continue;
    const std::size_t middle = (from.limit / unit + to.limit / unit) / 2 * unit;
    if (middle <= from.limit || to.limit - from.limit <= widest) continue;
    widest = to.limit - from.limit;
    next = middle;
  }
  return next;
}

/// Leaves out the points that are no better than one before them.
constexpr dynamic_array<frontier_point> better_ones(const dynamic_array<frontier_point>& points) {
  dynamic_array<frontier_point> kept;
  for (const frontier_point& point : points) {
    if (kept.empty() || point.best.found() < kept.back().best.found()) kept.push_back(point);
  }
  return kept;
}

}  // namespace impl

/// The best schedules of stages on IPUs within several limits of memory, in place of those that `memory` has. Where limits are
/// chosen, those that win nothing are left out. `begin()` gives a `stop` for each search, as `[] { return stop_after{1}; }` does.
template <whereabouts Where, pricing Costs, class Begin = impl::never_begins>
[[nodiscard]] constexpr frontier_result frontier(const Where& where, const Costs& costs, search_memory memory,
                                                 const frontier_options& options = {}, Begin begin = {}) {
  frontier_result made;
  memory.limits = dynamic_array<std::size_t>(1, impl::most_searched);
  made.refused = impl::verify_sizes(where, memory);
  if (!made.refused) made.refused = impl::verify_times(where, costs, memory);
  if (made.refused) return made;
  const auto add = [&](std::size_t limit) {
    memory.limits[0] = limit;
    const frontier_point found{limit, search(where, costs, memory, options.each, begin())};
    if (found.best.refused && !made.refused) made.refused = found.best.refused;
    if (!found.best.refused) impl::insert(made.points, found);
  };
  dynamic_array<std::size_t> limits = options.limits;
  for (std::size_t i = 1; i < limits.size(); ++i) {  // ascending, so that the first fault is that of the least
    for (std::size_t at = i; at > 0 && limits[at - 1] > limits[at]; --at) {
      const std::size_t kept = limits[at];
      limits[at] = limits[at - 1];
      limits[at - 1] = kept;
    }
  }
  for (const std::size_t limit : limits) add(limit);
  if (options.chosen > 0 && !made.refused) {
    const impl::search_instance of = impl::instance_of(where, costs, memory, options.each.split, impl::least_plan(memory, where.stages));
    add(impl::least_room(of));
    memory.limits[0] = impl::most_searched;
    const searched most = search(where, costs, memory, options.each, begin());
    if (!most.refused) impl::insert(made.points, {most.peak_bytes, most});
    for (std::size_t n = 2; n < options.chosen; ++n) {
      impl::make_monotone(made.points);
      const std::size_t limit = impl::next_limit(made.points, impl::unit_of(of));
      if (limit == 0) break;
      add(limit);
    }
  }
  impl::make_monotone(made.points);
  if (options.chosen > 0) made.points = impl::better_ones(made.points);
  return made;
}

/// The same where all activations are kept; `stages` are as in `search_memory`.
template <whereabouts Where, pricing Costs, class Begin = impl::never_begins>
[[nodiscard]] constexpr frontier_result frontier(const Where& where, const Costs& costs, const dynamic_array<activation_bytes>& stages,
                                                 const frontier_options& options = {}, Begin begin = {}) {
  search_memory memory;
  memory.stages = stages;
  return frontier(where, costs, memory, options, begin);
}

/// The same with one record for all stages.
template <whereabouts Where, pricing Costs, class Begin = impl::never_begins>
[[nodiscard]] constexpr frontier_result frontier(const Where& where, const Costs& costs, const activation_bytes& of_all,
                                                 const frontier_options& options = {}, Begin begin = {}) {
  return frontier(where, costs, dynamic_array<activation_bytes>(1, of_all), options, begin);
}

}  // namespace ipuflow::schedule
