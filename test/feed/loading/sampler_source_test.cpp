// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/load.hpp>
#include <ipuflow/feed/loading/sampler_source.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <list>
#include <ranges>
#include <stdexcept>
#include <tuple>
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

TEST_CASE("workers take as many samples at a time as they like, whatever the number of batches in a step") {
  const std::vector<int> numbers{10, 11, 12, 13};
  const indices sampler{{0, 1, 2, 3, 0}, {1}};
  for (std::size_t at_a_time = 0; at_a_time < 7; ++at_a_time) {
    for (const loading mode : {loading::sync, loading::async}) {
      auto l = load(numbers, sampler, 1, {.mode = mode, .workers = 2, .worker_batch = at_a_time});
      CHECK(pass(l) == std::vector<std::vector<int>>{{10, 11, 12, 13, 10}, {11}});
    }
  }
  CHECK_THROWS_AS((void)load(numbers, sampler, 0, {}), ipuflow::rejected<loader_fault>);
}

TEST_CASE("the samples of batches that make no whole step are counted") {
  const std::vector<int> numbers{10, 11, 12, 13};
  for (const loading mode : {loading::sync, loading::async}) {
    auto l = load(numbers, indices{{0}, {1, 2}, {3, 3, 3}}, 2, {.mode = mode});
    CHECK(pass(l) == std::vector<std::vector<int>>{{10, 11, 12}});
    CHECK(l.dropped() == 3);
  }
}

TEST_CASE("a batch of no samples ends no pass") {
  const std::vector<int> numbers{10, 11, 12, 13};
  for (const loading mode : {loading::sync, loading::async}) {
    auto l = load(numbers, indices{{}, {0}, {}, {}, {1, 2}, {}, {3}, {}}, 1, {.mode = mode, .workers = 1});
    CHECK(pass(l) == std::vector<std::vector<int>>{{10}, {11, 12}, {13}});
    CHECK(pass(l).size() == 3);
  }
}

TEST_CASE("an index that is too large, or a batch that throws, is the failure of its step; the next call goes on") {
  const std::vector<int> numbers{10, 11, 12, 13};
  const auto go_on = [](auto&& l) {
    std::vector<int> seen;
    l.restart();
    for (int calls = 0; calls < 20; ++calls) {
      try {
        const auto step = l.next();
        if (!step) return seen;
        for (const int number : std::get<0>(*step).elements()) seen.push_back(number);
      } catch (const ipuflow::rejected<loader_fault>& wrong) {
        seen.push_back(-static_cast<int>(wrong.found().got));
      } catch (const std::runtime_error&) {
        seen.push_back(0);
      }
    }
    return seen;
  };
  const indices sampler{{9, 0}, {1}, {2, 4}, {8}, {3}, {7}};
  const auto throwing = sampler | std::views::transform([](const auto& batch) { return batch[0] == 2 ? throw std::runtime_error{"no"} : batch; });
  for (const loading mode : {loading::sync, loading::async}) {
    for (std::size_t workers = 0; workers < 3; ++workers) {
      const loader_options o{.mode = mode, .workers = workers};
      CHECK(go_on(load(numbers, sampler, 1, o)) == std::vector<int>{-9, 11, -4, -8, 13, -7});
      CHECK(go_on(load(numbers, sampler, 2, o)) == std::vector<int>{-9, -4, -7});
      CHECK(go_on(load(numbers, throwing, 1, o)) == std::vector<int>{-9, 11, 0, -8, 13, -7});
    }
  }
}

}  // namespace sampler_source_test
