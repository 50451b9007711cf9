// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/loading/map_source.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <vector>

namespace map_source_test {

using namespace ipuflow;
using namespace ipuflow::feed;

TEST_CASE("steps cover the share of a process, in an order that the seed and the epoch decide") {
  std::vector<int> numbers(23);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<int> seen;
    for (std::size_t process = 0; process < 2; ++process) {
      map_source source{all(numbers), 5, {.last = tail::kept, .shuffle = 7, .process = process, .processes = 2}};
      CHECK(!source.in_place());
      decltype(source)::slot_type s;
      s.epoch = epoch;
      for (std::size_t step = 0; source.open(s, step); ++step) {
        source.fill(s, {0, s.size}, std::atomic<bool>{false});
        for (const int i : std::get<0>(s.columns()).elements()) seen.push_back(i);
      }
    }
    const auto wanted = numbers | shuffle(7);
    CHECK(seen.size() == 23);
    for (std::size_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == wanted.sample(i, epoch));
  }
}

TEST_CASE("contiguous samples in order are handed out where they are") {
  const std::vector<int> numbers(23);
  const map_source source{all(numbers), 5, {.process = 1, .processes = 2}};
  REQUIRE(source.in_place());
  CHECK(source.steps() == 2);
  CHECK(source.dropped() == 3);
  CHECK(std::get<0>(*source.in_place()).data() == numbers.data() + 10);
  CHECK(source.places(1) == interval{5, 5});
}

TEST_CASE("no samples, or too few for a step that must be whole, are refused") {
  using empty = rejected<dataset_fault>;
  using too_few = rejected<batching_fault>;
  const std::vector<int> none, three(3);
  CHECK_THROWS_AS((map_source{all(none), 1, {}}), empty);
  CHECK_THROWS_AS((map_source{all(three), 4, {}}), too_few);
  CHECK_THROWS_AS((map_source{all(three), 2, {.processes = 2}}), too_few);
  CHECK(map_source{all(three), 4, {.last = tail::kept}}.steps() == 1);
}

}  // namespace map_source_test
