// SPDX-License-Identifier: BSL-1.0
// Nothing is allocated for a step once every slot has been used.
#include "counted_allocations.hpp"

#ifdef COUNTS_ALLOCATIONS

#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/load.hpp>
#include <ipuflow/feed/sources/rows.hpp>
#include <ipuflow/feed/sources/zip.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <list>
#include <vector>

namespace allocation_test {

using namespace ipuflow::feed;

TEST_CASE("a loader allocates nothing for a step after its first epoch") {
  const std::vector<float> pixels(64 * 4);
  const std::vector<int> labels(64);
  const auto check = [](auto&& l) {
    for (const auto& step : l) CHECK(step.size() == 8);
    for (const auto& step : l) CHECK(step.size() == 8);
    const std::size_t before = allocations;
    std::size_t samples = 0;
    for (int epoch = 0; epoch < 5; ++epoch) {
      for (const auto& step : l) samples += step.size();
    }
    CHECK(allocations == before);
    CHECK(samples == 5 * 64);
  };
  const auto d = zip(rows<4>(pixels), labels);
  const auto of_any_width = zip(rows(pixels, 4), labels);
  const std::list<int> listed(64);
  const auto in_shares = shares(2, [&](std::size_t, std::size_t) { return rows(pixels, 8); });
  for (const loading mode : {loading::sync, loading::async, loading::async_rebatched}) {
    for (const std::size_t workers : {0u, 1u, 3u}) {
      check(load(d, 8, {.mode = mode, .workers = workers}));
      check(load(d, 8, {.mode = mode, .workers = workers, .shuffle = 7}));
      check(load(of_any_width | shuffle(7) | batch(4), 8, {.mode = mode, .workers = workers, .worker_batch = 3}));
      check(load(listed, 8, {.mode = mode, .workers = workers}));
      check(load(in_shares, 8, {.mode = mode, .workers = workers}));
    }
  }
}

}  // namespace allocation_test

#endif
