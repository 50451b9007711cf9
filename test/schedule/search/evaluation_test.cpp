// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/search/evaluation.hpp>
#include <ipuflow/schedule/search/search_random.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

namespace evaluation_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

constexpr grid line{.ipus = 2, .stages = 2, .micro_batches = 2};

search_orders orders_of(std::initializer_list<std::size_t> first, std::initializer_list<std::size_t> second) {
  search_orders made;
  for (const std::size_t l : first) made.lanes.push_back(l);
  for (const std::size_t l : second) made.lanes.push_back(l);
  for (const std::size_t n : {std::size_t{0}, first.size(), first.size() + second.size()}) made.first.push_back(n);
  return made;
}

// Lanes: forwards 0 and 1, backwards of stage 1 and 0, gradients for weights of stage 1 and 0.
const search_instance of = instance_of(line, costs{2, 3, 4, 1}, {{}, 4}, true);

TEST_CASE("operations begin when their IPU is free and what they read has arrived") {
  search_times times{of};
  const auto orders = orders_of({0, 0, 3, 5, 3, 5}, {1, 2, 4, 1, 2, 4});
  // IPU 1: F 3-5, I 5-8, W 8-12, F 12-14, I 14-17, W 17-21. IPU 0: F 0-2, 2-4, I 9-12, W 12-16, I 18-21, W 21-25.
  const search_value value = times.run(orders);
  CHECK(value.longest == 25);
  CHECK(value.sum == 25 + 21);
  times.run_back(orders);
  CHECK(times.end[0] + times.tail[0] == 25);  // the first forward is on the longest path
  CHECK(times.end[3 * 2 + 1] + times.tail[3 * 2 + 1] == 25);
}

TEST_CASE("orders that wait for each other are endless") {
  search_times times{of};
  CHECK(times.run(orders_of({0, 3, 0, 5, 3, 5}, {1, 1, 2, 4, 2, 4})).longest == endless);
}

TEST_CASE("what a swap cannot come below is below what it comes to") {
  search_times times{of};
  search_times after{of};
  search_random random{3};
  auto orders = orders_of({0, 0, 3, 5, 3, 5}, {1, 2, 4, 1, 2, 4});
  for (std::size_t round = 0; round < 200; ++round) {
    REQUIRE(times.run(orders).longest < endless);
    times.run_back(orders);
    const std::size_t i = 1 + random(5) + 6 * random(2);
    if (orders.lanes[i] == orders.lanes[i - 1]) continue;
    auto changed = orders;
    std::swap(changed.lanes[i], changed.lanes[i - 1]);
    const amount limit = times.if_swapped(orders, i);
    const amount comes_to = after.run(changed).longest;
    if (comes_to == endless) continue;
    CHECK(limit <= comes_to);
    orders = changed;
  }
}

TEST_CASE("a path that is traced has no idle time: each of its pairs follows at once") {
  search_times times{of};
  search_random random{1};
  const auto orders = orders_of({0, 0, 3, 5, 3, 5}, {1, 2, 4, 1, 2, 4});
  times.run(orders);
  std::size_t pairs = 0;
  times.trace(orders, random, [&](std::size_t i) {
    ++pairs;
    CHECK(times.end[times.operation[i - 1]] == times.end[times.operation[i]] - of.lanes[orders.lanes[i]].time);
  });
  CHECK(pairs >= 1);
}

}  // namespace evaluation_test
