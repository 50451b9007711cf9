// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/search/heads.hpp>
#include <ipuflow/schedule/search/search_random.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

namespace heads_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

TEST_CASE("a forward that does not fit waits for the work that frees memory") {
  const grid where{.ipus = 2, .stages = 2, .micro_batches = 4};
  const auto of = instance_of(where, costs{2, 3, 4, 1}, {{2, -1, -1}, 4}, true);
  search_heads heads{of};
  heads.run(20);
  CHECK(heads.start[0] == 0);
  CHECK(heads.start[1] == 2);
  CHECK(heads.start[3 * 4] == 9);           // the first backward of stage 0: F 0-2, F 3-5, I 5-8, a message
  CHECK(heads.start[2] == 16);              // two forwards fit; the third waits for that backward and its weights: 9 + 3 + 4
  CHECK(heads.feasible);
}

TEST_CASE("no order of any greedy rule has an operation earlier than its head") {
  search_random random{9};
  std::size_t ran = 0, sooner = 0;
  for (std::size_t round = 0; round < 200; ++round) {
    const std::size_t ipus = 1 + random(3);
    const grid where{.ipus = ipus, .stages = 2 * ipus, .micro_batches = 1 + random(5), .kind = layout::vee};
    const costs c{1 + random(5), 1 + random(5), 1 + random(5), random(3)};
    const auto of = instance_of(where, c, {{3, -1, -2}, 6 + random(8)}, true);
    for (const auto& one : {of, mirrored(of)}) {
      search_heads heads{one};
      heads.run(20);
      search_heads tired{one, 50};  // gives up the work behind which operations stand
      tired.run(20);
      greedy_orders greedy{one};
      for (amount& k : greedy.key) k = static_cast<amount>(random(1000));
      search_orders orders;
      if (!greedy.run(orders, {})) continue;
      ++ran;
      search_times times{one};
      times.run(orders);
      for (std::size_t id = 0; id < one.operations(); ++id) {
        CHECK(heads.start[id] <= times.end[id] - one.lanes[id / one.micro_batches].time);
        CHECK(tired.start[id] <= times.end[id] - one.lanes[id / one.micro_batches].time);
        sooner += tired.start[id] < heads.start[id] ? 1u : 0u;
      }
    }
  }
  CHECK(ran > 250);
  CHECK(sooner > 250);
}

}  // namespace heads_test
