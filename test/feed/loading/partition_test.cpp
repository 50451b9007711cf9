// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/loading/partition.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace partition_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

// 100 samples by 4 in 3 processes: 8 steps each, 96 in order, 4 left over.
static_assert(partition_of(100, 4, {.process = 1, .processes = 3}) == partition{{32, 32}, 4, 8, 4});
static_assert(partition_of(100, 2, {.process = 1, .processes = 2}) == partition{{50, 50}, 2, 25, 0});
static_assert(partition_of(101, 4, {.last = tail::kept}) == partition{{0, 101}, 4, 26, 0});
static_assert(partition_of(101, 4, {.last = tail::kept}).at(25) == interval{100, 1});

TEST_CASE(
    "every position is loaded once or counted as dropped, and processes have equally many steps or share evenly") {
  for (std::size_t samples = 0; samples < 60; ++samples) {
    for (std::size_t step = 1; step < 6; ++step) {
      for (std::size_t processes = 1; processes < 5; ++processes) {
        for (const tail last : {tail::dropped, tail::kept}) {
          std::vector<int> seen(samples);
          std::size_t dropped = 0;
          for (std::size_t process = 0; process < processes; ++process) {
            const partition p = partition_of(samples, step, {.last = last, .process = process, .processes = processes});
            dropped = p.dropped;
            for (std::size_t s = 0; s < p.steps; ++s) {
              CHECK((p.at(s).count == step || (last == tail::kept && s + 1 == p.steps)));
              for (std::size_t i = 0; i < p.at(s).count; ++i) ++seen[p.at(s).first + i];
            }
            if (last == tail::dropped) CHECK(p.steps == samples / (step * processes));
            if (last == tail::kept)
              CHECK(p.mine.count == samples / processes + (process < samples % processes ? 1 : 0));
          }
          std::size_t missing = 0;
          for (const int times : seen) {
            CHECK(times <= 1);
            missing += times == 0 ? 1 : 0;
          }
          CHECK(missing == dropped);
          if (last == tail::kept) CHECK(dropped == 0);
        }
      }
    }
  }
}

TEST_CASE("no samples, or too few for a step that must be whole, are refused") {
  using empty = ipuflow::rejected<dataset_fault>;
  using too_few = ipuflow::rejected<batching_fault>;
  CHECK_THROWS_AS((void)checked_partition(0, 1, {}), empty);
  CHECK_THROWS_AS((void)checked_partition(3, 4, {}), too_few);
  CHECK_THROWS_AS((void)checked_partition(3, 2, {.processes = 2}), too_few);
  CHECK(checked_partition(3, 4, {.last = tail::kept}).steps == 1);
}

}  // namespace partition_test
