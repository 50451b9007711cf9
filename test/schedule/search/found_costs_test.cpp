// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/search/found_costs.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace found_costs_test {

using namespace ipuflow::schedule;
using namespace ipuflow::test;

template <class Costs, class Memory, class Found>
inline constexpr bool taken = std::is_constructible_v<found_costs<costs>, Costs, Memory, Found>;
static_assert(taken<costs&, search_memory&, searched&> && taken<const costs&, const search_memory&, const searched&>);
static_assert(!taken<costs, search_memory&, searched&> && !taken<costs&, search_memory, searched&> && !taken<costs&, search_memory&, searched>);
static_assert(!taken<costs, search_memory, searched> && !taken<const costs, search_memory&, searched&>);

TEST_CASE("with the costs of what was found, a timetable takes as long as the search says") {
  const grid where{.ipus = 4, .stages = 4, .micro_batches = 9};
  for (const std::size_t time : {0u, 2u}) {
    for (const bool split : {false, true}) {
      search_memory memory{{3, -2, -1}, 6};
      memory.recomputable.push_back({1, time});
      memory.offloadable.push_back({1, 2 + time, 3});
      const costs c{4, 5, 3, 1};
      const searched found = search(where, c, memory, {.metric = search_metric::makespan, .split = split, .iterations = 300});
      REQUIRE_FALSE(found.refused);
      const found_costs own{c, memory, found};
      CHECK(makespan(found.timetable, own) == found.makespan);
      CHECK(own.of(pass::recompute, 1) == (time == 0 ? 4 : 2));
      bool treated = false;
      for (std::size_t stage = 0; stage < 4; ++stage) {
        const bool away = found.stash_of(stage) == stash_choice::offloaded;
        CHECK(own.of(pass::forward, stage) == (away ? 6 + time : 4));
        CHECK(own.of(pass::backward_inputs, stage) == (away ? 8 : 5));
        treated = treated || found.stash_of(stage) != stash_choice::kept;
      }
      CHECK(treated);
      CHECK(own.communication_of(2) == 1);
    }
  }
}

}  // namespace found_costs_test
