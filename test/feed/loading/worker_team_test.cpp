// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/loading/worker_team.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <mutex>
#include <vector>

namespace worker_team_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;
using namespace std::chrono_literals;

TEST_CASE("every worker does what it is sent, in order") {
  for (const auto nap : {0us, 100us}) {
    std::vector<std::vector<int>> done(3);
    std::latch all_of{300};
    struct order {
      std::size_t worker;
      int number;
    };
    {
      worker_team<order> team{3, 4, nap, [&](const order& o) {
                                done[o.worker].push_back(o.number);
                                all_of.count_down();
                              }};
      for (int i = 0; i < 300; ++i) team.send(static_cast<std::size_t>(i) % 3, {static_cast<std::size_t>(i) % 3, i});
      all_of.wait();
    }
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(done[k].size() == 100);
      for (std::size_t i = 0; i < done[k].size(); ++i) CHECK(done[k][i] == static_cast<int>(3 * i + k));
    }
  }
}

TEST_CASE("the least busy worker is the one with the fewest unfinished orders") {
  std::latch begun{1}, go_on{1};
  worker_team<int> team{2, 4, 0us, [&](int i) {
                          if (i != 0) return;
                          begun.count_down();
                          go_on.wait();
                        }};
  CHECK(team.least_busy() == 0);
  team.send(0, 0);
  begun.wait();
  CHECK(team.least_busy() == 1);
  go_on.count_down();
}

TEST_CASE("a team ends while its workers nap, sleep, or have orders left") {
  for (const auto nap : {0us, 60'000'000us}) {
    for (int orders = 0; orders < 4; ++orders) {
      std::atomic<int> done{0};
      worker_team<int> team{3, 8, nap, [&](int) { ++done; }};
      for (int i = 0; i < orders; ++i) team.send(0, i);
    }
  }
}

}  // namespace worker_team_test
