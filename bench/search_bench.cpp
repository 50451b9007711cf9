// SPDX-License-Identifier: BSL-1.0
// Searches of instances with published results, row by row: what was published, found, the bound, and whether it is proved. A row is
// called after the method that published it, IPUs, micro-batches, the time of a forward pass and the limit of memory. Each has
// IPUFLOW_SEARCH_SECONDS (0.02 unless set) for 8 IPUs, 4 times as long for 16, 10 times for 32. `unequal/...` are instances with unequal
// stages: idle time of the best catalogue schedule within the memory, of what is found without that schedule, and of the bound; `halved`
// is 1 where what is found is idle for at most half as long.
#include "../test/schedule/search/instances.hpp"
#include "../test/schedule/search/unequal_instances.hpp"

#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/generators/catalogue_tables.hpp>
#include <ipuflow/schedule/search/search.hpp>
#include <ipuflow/schedule/search/stop_after.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>

using namespace ipuflow;

namespace {

double seconds_for(std::size_t ipus) {
  static const double seconds = [] {
    const char* const given = std::getenv("IPUFLOW_SEARCH_SECONDS");
    const double asked = given == nullptr ? 0.02 : std::atof(given);
    if (asked > 0) return asked;
    std::fprintf(stderr, "IPUFLOW_SEARCH_SECONDS=%s is no time to search for; set it to seconds, such as 0.5\n", given);
    std::exit(2);
  }();
  return seconds * (ipus >= 32 ? 10 : ipus >= 16 ? 4 : 1);
}

void search_unequal(benchmark::State& state, const test::unequal_instance& row) {
  for (auto _ : state) {
    const auto found = test::idle_of(row, {.iterations = std::size_t{1} << 40}, schedule::stop_after{seconds_for(row.ipus)});
    state.counters["catalogue"] = static_cast<double>(found.catalogue);
    state.counters["found"] = static_cast<double>(found.searched);
    state.counters["bound"] = static_cast<double>(found.least);
    state.counters["halved"] = 2 * found.searched <= found.catalogue ? 1 : 0;
  }
}

void search(benchmark::State& state, const test::published_search& row) {
  const double seconds = seconds_for(row.ipus);
  const schedule::grid where{row.ipus, row.vee ? 2 * row.ipus : row.ipus, row.micro_batches,
                             row.vee ? schedule::layout::vee : schedule::layout::loop};
  const schedule::costs costs{row.forward, row.backward_inputs, row.backward_weights, row.communication};
  const schedule::search_memory memory{{row.after_forward, row.after_inputs, row.after_weights}, row.limit};
  for (auto _ : state) {
    const auto known = schedule::catalogue_tables(where, costs);
    const auto found = schedule::search(where, costs, memory, {.iterations = std::size_t{1} << 40, .known = &known}, schedule::stop_after{seconds});
    state.counters["published"] = static_cast<double>(row.span);
    state.counters["found"] = static_cast<double>(found.span);
    state.counters["bound"] = static_cast<double>(found.lower_bound);
    state.counters["proved"] = found.proved() ? 1 : 0;
  }
}

const bool registered = [] {
  for (const auto& row : test::published_searches) {
    const std::string name = std::string{row.method} + "/" + std::to_string(row.ipus) + "/" + std::to_string(row.micro_batches) + "/" +
                             std::to_string(row.forward) + "/" + std::to_string(row.limit);
    benchmark::RegisterBenchmark(name.c_str(), [&row](benchmark::State& state) { search(state, row); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  for (const auto& row : test::unequal_instances) {
    const std::string name = "unequal/" + std::string{row.name} + (row.vee ? "/v/" : "/line/") + std::to_string(row.ipus);
    benchmark::RegisterBenchmark(name.c_str(), [&row](benchmark::State& state) { search_unequal(state, row); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
