// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/loading/partition.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace partition_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

// 100 samples by 4 in 3 processes: 8 rounds, in each of which the second one has the second four; 4 are left over.
constexpr partition second = partition_of(100, 4, {.process = 1, .processes = 3});
static_assert(second.steps() == 8 && second.dropped == 4 && second.at(0) == interval{4, 4} && second.at(7) == interval{88, 4});
static_assert(second.taken(0) == 0 && second.taken(1) == 12 && second.taken(8) == 96);
static_assert(partition_of(101, 4, {.last = tail::kept}).steps() == 26);
static_assert(partition_of(101, 4, {.last = tail::kept}).at(25) == interval{100, 1});
static_assert(partition_of(101, 4, {.last = tail::kept}).taken(26) == 101);
// Sizes at the end of all numbers multiply to none beyond it.
constexpr std::size_t most = static_cast<std::size_t>(-1);
static_assert(partition_of(100, most, {.last = tail::kept, .process = 3, .processes = most}).at(0) == interval{3, 1});
static_assert(partition_of(most, most / 2, {.process = 1, .processes = 2}).at(0) == interval{most / 2, most / 2});

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
            std::size_t mine = 0;
            for (std::size_t s = 0; s < p.steps(); ++s) {
              mine += p.at(s).count;
              CHECK((p.at(s).count == step || (last == tail::kept && s + 1 == p.steps())));
              for (std::size_t i = 0; i < p.at(s).count; ++i) ++seen[p.at(s).first + i];
            }
            if (last == tail::dropped) CHECK(p.steps() == samples / (step * processes));
            if (last == tail::kept)
              CHECK((mine == samples / processes || mine == samples / processes + 1));
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

TEST_CASE("any number of processes goes on where others stopped: every position once") {
  struct run {
    std::size_t processes, step, rounds;
  };
  const run runs[] = {{1, 4, 2}, {2, 3, 1}, {4, 1, 3}, {3, 2, 1}, {2, 8, 0}};
  for (std::size_t samples = 1; samples < 70; ++samples) {
    std::vector<int> seen(samples);
    std::size_t gone = 0;
    for (const run& r : runs) {
      const bool last_one = &r == std::end(runs) - 1;
      std::size_t next = gone;
      for (std::size_t process = 0; process < r.processes; ++process) {
        const partition p = partition_of(samples, r.step, {.last = tail::kept, .process = process, .processes = r.processes}).behind(gone);
        const std::size_t steps = last_one ? p.steps() : std::min(r.rounds, p.steps());
        for (std::size_t s = 0; s < steps; ++s) {
          for (std::size_t i = 0; i < p.at(s).count; ++i) ++seen[p.at(s).first + i];
        }
        if (process == 0) next = p.taken(steps);  // it has a step whenever one has
      }
      gone = next;
    }
    CHECK(gone == samples);
    for (const int times : seen) CHECK(times == 1);
  }
}

TEST_CASE("no samples, or too few for a step that must be whole, are refused") {
  using empty = ipuflow::rejected<dataset_fault>;
  using too_few = ipuflow::rejected<batching_fault>;
  CHECK_THROWS_AS((void)checked_partition(0, 1, {}), empty);
  CHECK_THROWS_AS((void)checked_partition(3, 4, {}), too_few);
  CHECK_THROWS_AS((void)checked_partition(3, 2, {.processes = 2}), too_few);
  try {  // a step that no number says is told as the most
    (void)checked_partition(100, most / 2, {.processes = 3});
    CHECK(false);
  } catch (const too_few& wrong) {
    CHECK(wrong.found().got == most);
  }
  CHECK(checked_partition(3, 4, {.last = tail::kept}).steps() == 1);
  CHECK(checked_partition(3, 4, {.last = tail::kept, .process = 2, .processes = 4}).steps() == 1);
  CHECK_THROWS_WITH_AS((void)checked_partition(3, 4, {.last = tail::kept, .process = 3, .processes = 4}),
                       "ipuflow: process 3 has none of 3 samples, as there are more processes than that; load them in fewer processes",
                       ipuflow::error);
}

}  // namespace partition_test
