// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/loading/rebatcher.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

namespace rebatcher_test {

using namespace ipuflow::feed;

TEST_CASE("batches of any sizes become steps of one size, only the last of which may be short") {
  std::vector<int> numbers(50);
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto everything = whole(numbers);
  const std::vector<std::vector<std::size_t>> cuts{{50}, {1, 49}, {3, 3, 3, 3}, {4, 4, 1, 4, 4}, {20, 1, 1, 1, 20}, {}};
  for (const auto& sizes : cuts) {
    for (std::size_t step = 1; step < 12; ++step) {
      rebatcher<sample_batch<int>> join{step, std::make_shared<slot_pool<int>>()};
      std::size_t fetched = 0, samples = 0, at = 0;
      const auto fetch = [&]() -> std::optional<sample_batch<int>> {
        if (fetched == sizes.size()) return std::nullopt;
        const std::size_t size = sizes[fetched++];
        samples += size;
        return everything.part(samples - size, size);
      };
      while (const auto b = join.next(fetch)) {
        for (const int i : *b) CHECK(i == numbers[at++]);
        CHECK((b->size() == step || (fetched == sizes.size() && at == samples)));
      }
      CHECK(at == samples);
    }
  }
}

TEST_CASE("a batch that is a whole step is passed on as it is, and what is left can be forgotten") {
  const std::vector<int> numbers(10);
  rebatcher<sample_batch<int>> join{10, std::make_shared<slot_pool<int>>()};
  CHECK(std::get<0>(*join.next([&] { return std::optional{whole(numbers)}; })).data() == numbers.data());
  rebatcher<sample_batch<int>> small{3, std::make_shared<slot_pool<int>>()};
  CHECK(small.next([&] { return std::optional{whole(numbers)}; })->size() == 3);
  small.clear();
  CHECK(!small.next([] { return std::optional<sample_batch<int>>{}; }));
}

}  // namespace rebatcher_test
