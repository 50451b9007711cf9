// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/search/greedy.hpp>
#include <ipuflow/schedule/search/search_random.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

namespace greedy_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

TEST_CASE("with any keys the rule ends, within the memory, also where that is one micro-batch's; backwards in a V it may get stuck") {
  search_random random{5};
  for (const layout kind : {layout::loop, layout::vee}) {
    const grid where{.ipus = 3, .stages = kind == layout::vee ? 6u : 3u, .micro_batches = 5, .kind = kind};
    for (std::size_t limit = kind == layout::vee ? 6 : 3; limit < 12; ++limit) {
      for (const bool mirror : {false, true}) {
        const auto forward = instance_of(where, costs{2, 3, 4, 1}, {{3, -1, -2}, limit}, true);
        const auto of = mirror ? mirrored(forward) : forward;
        greedy_orders greedy{of};
        for (std::size_t round = 0; round < 20; ++round) {
          for (amount& k : greedy.key) k = static_cast<amount>(random(1000));
          search_orders orders;
          const bool ended = greedy.run(orders, {.patience = static_cast<amount>(random(257)), .room = static_cast<amount>(random(4))});
          REQUIRE((ended || (mirror && kind == layout::vee)));
          if (!ended) continue;
          CHECK(search_times{of}.run(orders).longest < endless);
          for (std::size_t ipu = 0; ipu < of.ipus; ++ipu) {
            amount held = 0;
            for (std::size_t i = orders.first[ipu]; i < orders.first[ipu + 1]; ++i) {
              held += of.lanes[orders.lanes[i]].memory;
              CHECK(held <= of.limit[ipu]);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("the smallest key is first of those that are there; patience waits for one that is not") {
  const grid where{.ipus = 2, .stages = 2, .micro_batches = 3};
  const auto of = instance_of(where, costs{2, 2, 4, 1}, {{}, 3}, true);
  greedy_orders greedy{of};
  const auto order_of = [&](const greedy_choice& by) {
    for (std::size_t id = 0; id < greedy.key.size(); ++id) greedy.key[id] = static_cast<amount>(id);
    search_orders orders;
    REQUIRE(greedy.run(orders, by));
    return orders;
  };
  const auto eager = order_of({});
  CHECK(eager.lanes[0] == 0);
  CHECK(eager.lanes[2] == 0);  // all three forwards, then what comes back
  CHECK(eager.lanes[9] == 1);  // the other IPU: what is there, in the order of keys
  const auto patient = order_of({.patience = 256, .weights = 256});
  CHECK(search_times{of}.run(patient).longest < endless);
}

}  // namespace greedy_test
