// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/loading/map_source.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace map_source_test {

using namespace ipuflow;
using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

TEST_CASE("steps cover the share of a process, in an order that the seed and the epoch decide") {
  using reader = dataset_reader<all_t<std::vector<int>&>>;
  std::vector<int> numbers(23);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<int> seen(23, -1);
    for (std::size_t process = 0; process < 2; ++process) {
      const auto plan = partition_of(23, 5, {.last = tail::kept, .process = process, .processes = 2});
      map_source source{make_owner<reader>(all(numbers)), plan, {.last = tail::kept, .shuffle = 7}};
      slot s{reader::fields::kinds};
      s.epoch = epoch;
      for (std::size_t step = 0; source.open(s, step); ++step) {
        source.fill(s, {0, s.size}, std::atomic<bool>{false});
        const auto made = std::get<0>(reader::fields::columns(s)).elements();
        std::copy(made.begin(), made.end(), seen.begin() + static_cast<std::ptrdiff_t>(plan.at(step).first));
      }
    }
    const auto wanted = numbers | shuffle(7);
    for (std::size_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == wanted.sample(i, epoch));
  }
}

}  // namespace map_source_test
