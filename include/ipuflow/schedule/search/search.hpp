// SPDX-License-Identifier: BSL-1.0
// The search for a schedule: the order of passes on each IPU that takes the shortest time for given costs, within memory that is
// held at every instant, with a lower bound beside it. What is found is a table like any other. Micro-batches keep their order
// in each pass, as they do in every schedule of identical ones; the bound holds for all orders.
#pragma once

#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/forms/repeating.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/search/engine.hpp>
#include <ipuflow/schedule/search/problem.hpp>
#include <ipuflow/schedule/search/stash_plans.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule {

/// Options of a search besides its costs and memory.
struct search_options {
  search_metric metric = search_metric::span;  ///< what is made short
  bool split = true;               ///< gradients for inputs and for weights are passes of their own
  bool repeating = false;          ///< only schedules that repeat a body, so that they unroll to any number of micro-batches
  std::size_t iterations = 10000;  ///< orders tried at most: the same find the same on every machine
  std::uint64_t seed = 1;          ///< of the random numbers
  std::size_t capacity = nowhere;  ///< messages that a channel between two stages has room for, 0: a send waits until it is received
  const dynamic_array<table>* known = nullptr;  ///< schedules to begin with, as `catalogue_tables` has them; what is found is no worse than those that fit

  friend constexpr bool operator==(const search_options&, const search_options&) = default;
};

/// A schedule that was searched for, and what is known of it.
struct searched {
  table timetable{};
  std::size_t span = 0;         ///< in the metric `span`
  std::size_t makespan = 0;     ///< end of all passes; updates of weights come behind them, and are not counted
  std::size_t lower_bound = 0;  ///< no schedule is shorter in the metric that was asked for
  limited_by limit = limited_by::work;  ///< the argument for it
  std::size_t peak_bytes = 0;   ///< on the fullest IPU at any instant
  std::size_t iterations = 0;   ///< that it took
  bool stopped = false;         ///< before its iterations were over: the answer depends on the machine
  dynamic_array<stash_choice> stashes{};  ///< what is done with the activations of each stage; empty: nothing was to be decided
  search_metric metric = search_metric::span;
  search_fault refused{};

  [[nodiscard]] constexpr std::size_t found() const { return metric == search_metric::span ? span : makespan; }
  /// The same schedule in closed form, for any number of micro-batches, where it repeats a body: `repeating::each` says whether.
  [[nodiscard]] constexpr repeating closed_form() const { return repeating_form(timetable); }
  [[nodiscard]] constexpr stash_choice stash_of(std::size_t stage) const { return stashes.empty() ? stash_choice::kept : stashes[stage]; }
  /// True if there is no shorter schedule.
  [[nodiscard]] constexpr bool proved() const { return !refused && found() == lower_bound; }
};

namespace impl {

/// Never: a search that ends by its iterations, or because its schedule is proved.
struct never_stops {
  constexpr bool operator()() const { return false; }
};

/// The earliest start of the first forward of each IPU.
constexpr dynamic_array<amount> first_forwards(const search_instance& of) {
  dynamic_array<amount> at(of.ipus);
  dynamic_array<amount> ready(of.lanes.size());
  for (std::size_t l = 0; l < of.lanes.size() && of.lanes[l].kind == pass::forward; ++l) {
    const search_lane& lane = of.lanes[l];
    if (l > 0) ready[l] = ready[l - 1] + of.lanes[l - 1].time + lane.lag[0];
    if (lane.chunk == 0) at[lane.ipu] = ready[l];
  }
  return at;
}

/// Writes orders as a table, with what the fullest IPU holds.
template <whereabouts Where>
constexpr table written(const Where& where, const search_instance& of, const search_orders& orders, searched& to) {
  table rows{where, mode::training};
  search_times times{of};
  times.run(orders);
  for (std::size_t ipu = 0; ipu < of.ipus; ++ipu) {
    amount held = 0;
    for (std::size_t i = orders.first[ipu]; i < orders.first[ipu + 1]; ++i) {
      const search_lane& lane = of.lanes[orders.lanes[i]];
      rows.rows[ipu].push_back({{lane.kind, lane.stage, times.operation[i] % of.micro_batches}, i - orders.first[ipu], false});
      const amount most = held + lane.during;
      if (most > static_cast<amount>(to.peak_bytes)) to.peak_bytes = static_cast<std::size_t>(most);
      held += lane.memory;
      const auto end = static_cast<std::size_t>(times.end[times.operation[i]]);
      if (end > to.makespan) to.makespan = end;
    }
  }
  if (of.recomputed > 0) rows.recompute = recomputation::then_backpropagate;
  return rows;
}

/// Searches the orders of an instance without decisions.
template <class Stop>
constexpr search_outcome search_orders_of(const search_instance& of, const search_options& options, Stop& stop) {
  search_engine engine{of, options.seed, options.repeating};
  if (options.known != nullptr) {
    for (const table& known : *options.known) engine.begin_with(known);
  }
  engine.run(options.iterations, [&] { return stop(); });
  return {{}, engine.best, engine.value, engine.bound, engine.spent};
}

/// Searches the orders, and what is done with activations where something may be.
template <class Make, class Stop>
constexpr search_outcome search_all(const search_memory& memory, std::size_t stages, Make make, const search_options& options, Stop& stop,
                                    search_fault& refused) {
  if (!memory.decides()) {
    const search_instance of = make(stash_plan{});
    refused = verify_room(of);
    if (refused) return {};  // no `?:`, whose temporary g++ 12 destroys twice in a constant expression
    return search_orders_of(of, options, stop);
  }
  stash_search<Make, Stop> plans{memory, stages, make, stop, options.seed, options.repeating, options.known};
  refused = verify_room(make(least_plan(memory, stages)));
  if (refused) return {};
  return plans.run(options.iterations);
}

/// The times of what was found.
constexpr void write_times(const search_instance& of, const search_orders& orders, const dynamic_array<amount>& first, searched& to) {
  search_times times{of};
  times.run(orders);
  for (std::size_t ipu = 0; ipu < of.ipus; ++ipu) {
    const std::size_t last = orders.first[ipu + 1];
    if (last == orders.first[ipu]) continue;
    const auto took = static_cast<std::size_t>(times.end[times.operation[last - 1]] - first[ipu]);
    if (took > to.span) to.span = took;
  }
}

}  // namespace impl

/// Searches the best schedule of stages on IPUs. `stop()` is asked now and then, and true ends the search with what it has.
template <whereabouts Where, pricing Costs, class Stop = impl::never_stops>
[[nodiscard]] constexpr searched search(const Where& where, const Costs& costs, const search_memory& memory,
                                        const search_options& options = {}, Stop stop = {}) {
  if constexpr (requires { stop.spread(where, costs, memory, options); }) {
    return stop.spread(where, costs, memory, options);
  } else {
    searched found;
    found.metric = options.metric;
    found.refused = impl::verify_sizes(where, memory);
    if (!found.refused) found.refused = impl::verify_times(where, costs, memory);
    if (found.refused) return found;
    const auto first = impl::first_forwards(impl::instance_of(where, costs, memory, options.split, {.decided = 0}));
    const auto make = [&](const impl::stash_plan& plan) {
      impl::search_instance of = impl::instance_of(where, costs, memory, options.split, plan);
      if (options.metric == search_metric::span) of.offset = first;
      of.capacity = options.capacity;
      return of;
    };
    bool stopped = false;
    auto stops = [&] { return stopped = stopped || stop(); };
    const impl::search_outcome best = impl::search_all(memory, where.stages, make, options, stops, found.refused);
    if (found.refused) return found;
    found.lower_bound = static_cast<std::size_t>(best.bound.least);
    found.limit = best.bound.kind;
    found.iterations = best.spent;
    found.stopped = stopped && best.value.longest > best.bound.least;
    found.stashes = best.plan.stages;
    const impl::search_instance of = make(best.plan);
    found.timetable = tabulate<table>(impl::written(where, of, best.orders, found));
    impl::write_times(of, best.orders, first, found);
    return found;
  }
}

}  // namespace ipuflow::schedule
