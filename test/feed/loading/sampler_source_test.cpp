// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/load.hpp>
#include <ipuflow/feed/loading/sampler_source.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <list>
#include <vector>

namespace sampler_source_test {

using namespace ipuflow::feed;

namespace {

template <class Loader>
std::vector<std::vector<int>> pass(Loader&& l) {
  std::vector<std::vector<int>> steps;
  for (auto& [column] : l) steps.emplace_back(column.elements().begin(), column.elements().end());
  return steps;
}

}  // namespace

using indices = std::vector<std::vector<std::size_t>>;
static_assert(batch_sampler<indices> && batch_sampler<std::list<std::list<int>>> && !batch_sampler<std::vector<int>>);

TEST_CASE("a step is so many batches of the sampler, one after the other") {
  const std::vector<int> numbers{10, 11, 12, 13, 14, 15, 16, 17};
  const indices sampler{{7, 0}, {1, 1, 1}, {2}, {3, 4}, {5, 6}};
  using steps = std::vector<std::vector<int>>;
  const steps whole_ones{{17, 10, 11, 11, 11}, {12, 13, 14}};
  steps all_of_them = whole_ones;
  all_of_them.push_back({15, 16});
  for (const loading mode : {loading::sync, loading::async, loading::async_rebatched}) {
    for (std::size_t workers = 0; workers < 5; ++workers) {
      auto dropping = load(numbers, sampler, 2, {.mode = mode, .workers = workers});
      auto keeping =
          load(numbers, sampler, 2, {.mode = mode, .workers = workers, .last = tail::kept, .worker_batch = 1});
      CHECK(dropping.size() == 2);
      CHECK(keeping.size() == 3);
      for (int epoch = 0; epoch < 3; ++epoch) {
        CHECK(pass(dropping) == whole_ones);
        CHECK(pass(keeping) == all_of_them);
      }
    }
  }
}

TEST_CASE("the samples of batches that make no whole step are counted") {
  const std::vector<int> numbers{10, 11, 12, 13};
  for (const loading mode : {loading::sync, loading::async}) {
    auto l = load(numbers, indices{{0}, {1, 2}, {3, 3, 3}}, 2, {.mode = mode});
    CHECK(pass(l) == std::vector<std::vector<int>>{{10, 11, 12}});
    CHECK(l.dropped() == 3);
  }
}

}  // namespace sampler_source_test
