// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/threads/dealing.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace dealing_test {

using namespace ipuflow;
using run::dealt;

namespace {

using lanes = std::vector<std::size_t>;

std::vector<std::size_t> some_work(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> work(count);
  for (std::size_t& w : work) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    w = static_cast<std::size_t>(seed >> 33) % (seed % 3 == 0 ? 1000 : 20);
  }
  return work;
}

/// The least that the thread with most can have, by trying everything.
std::size_t best(const std::vector<std::size_t>& work, std::size_t threads, std::size_t lane, lanes& has) {
  if (lane == work.size()) return *std::max_element(has.begin(), has.end());
  std::size_t least = static_cast<std::size_t>(-1);
  for (std::size_t& mine : has) {
    mine += work[lane];
    least = std::min(least, best(work, threads, lane + 1, has));
    mine -= work[lane];
  }
  return least;
}

}  // namespace

TEST_CASE("every lane is dealt out once, and the thread that has most has little more than it must") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::size_t threads = 1 + seed % 3;
    const auto work = some_work(seed % 9, seed);
    for (const dealt& found :
         {run::impl::deal(work, threads), run::impl::deal_neighbours(work, threads), run::impl::deal_longest_first(work, threads)}) {
      CHECK(found.size() == threads);
      lanes all;
      for (const auto& mine : found) {
        all.insert(all.end(), mine.begin(), mine.end());
        CHECK(std::is_sorted(mine.begin(), mine.end()));
      }
      std::sort(all.begin(), all.end());
      lanes expected(work.size());
      std::iota(expected.begin(), expected.end(), std::size_t{0});
      CHECK(all == expected);
    }
    lanes has(threads);
    const std::size_t least = best(work, threads, 0, has);
    CHECK(3 * run::longest(run::impl::deal_longest_first(work, threads), work) <= 4 * least);
    CHECK(7 * 3 * run::longest(run::impl::deal(work, threads), work) <= 8 * 4 * least + 21);
  }
}

TEST_CASE("equal lanes stay with their neighbours, and every thread has some") {
  for (std::size_t count = 1; count < 40; ++count) {
    for (std::size_t threads = 1; threads <= count; ++threads) {
      const dealt found = run::impl::deal(lanes(count, 1), threads);
      std::size_t next = 0;
      for (const auto& mine : found) {
        CHECK_FALSE(mine.empty());
        CHECK(mine.size() <= count / threads + 1);
        for (const std::size_t lane : mine) CHECK(lane == next++);
      }
    }
  }
}

TEST_CASE("no thread is idle that could have a lane") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const std::size_t threads = 1 + seed % 5;
    const std::size_t count = threads + seed % 4;
    const auto work = some_work(count, seed);
    for (const auto& mine : run::impl::deal_neighbours(work, threads)) CHECK_FALSE(mine.empty());
  }
  CHECK(run::impl::deal(lanes{100, 1, 1, 1}, 4) == dealt{{0}, {1}, {2}, {3}});
}

TEST_CASE("neighbours are parted where one lane has most of the work") {
  CHECK(run::impl::deal(lanes{288, 960, 246, 8}, 2) == dealt{{1}, {0, 2, 3}});
  CHECK(run::impl::deal(lanes{10, 1, 1, 10}, 2) == dealt{{0, 1}, {2, 3}});
  CHECK(run::impl::deal(lanes{0, 0}, 2).size() == 2);
  CHECK(run::impl::deal(lanes{}, 3) == dealt(3));
}

}  // namespace dealing_test
