// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/batch.hpp>
#include <ipuflow/feed/adaptors/shuffle.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <list>
#include <numeric>
#include <vector>

namespace batch_test {

using namespace ipuflow::feed;

TEST_CASE("batches side by side are the dataset, with or without its tail") {
  for (std::size_t samples = 0; samples < 20; ++samples) {
    std::vector<int> numbers(samples);
    std::iota(numbers.begin(), numbers.end(), 0);
    for (std::size_t size = 1; size < 7; ++size) {
      for (const tail last : {tail::dropped, tail::kept}) {
        const auto d = numbers | batch(size, last);
        std::size_t seen = 0;
        for (std::size_t b = 0; b < d.size(); ++b) {
          CHECK((d[b].size() == size || (last == tail::kept && b + 1 == d.size())));
          for (std::size_t i = 0; i < d[b].size(); ++i) CHECK(d[b][i] == numbers[seen++]);
        }
        CHECK(seen == (last == tail::kept ? samples : samples / size * size));
      }
    }
  }
}

TEST_CASE("a batch of a shuffled dataset is of the epoch it was asked for in, and of contiguous memory is a view") {
  const std::vector<int> numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto d = numbers | shuffle(3);
  const auto batches = d | batch(4, tail::kept);
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    for (std::size_t i = 0; i < 10; ++i) CHECK(batches.sample(i / 4, epoch)[i % 4] == d.sample(i, epoch));
  }
  CHECK(std::get<0>(whole((numbers | batch(4))[1])).data() == numbers.data() + 4);
}

TEST_CASE("a range in chunks") {
  const std::list<int> numbers{1, 2, 3, 4, 5};
  std::vector<int> sums;
  for (auto&& chunk : numbers | batch(2)) {
    int sum = 0;
    for (const int i : chunk) sum += i;
    sums.push_back(sum);
  }
  CHECK(sums == std::vector<int>{3, 7, 5});
}

}  // namespace batch_test
