// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/device/add_up.hpp>

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace add_up_test {

using namespace ipuflow;
using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

static_assert(summable<float> && summable<std::vector<float>> && summable<std::tuple<int, std::array<float, 2>>>);
static_assert(!summable<std::unique_ptr<int>>);

/// Has no sum, and neither has what holds it.
struct detection {
  int at = 0;
};
static_assert(!summable<detection> && !summable<std::vector<detection>>);
static_assert(!summable<std::tuple<float, std::array<detection, 2>>>);
static_assert(!summable<std::vector<bool>> && !summable<std::map<int, int>> && summable<std::vector<std::pair<int, float>>>);

TEST_CASE("numbers, ranges and tuples of them add up") {
  std::tuple<int, std::vector<std::array<int, 2>>> sum{1, {{1, 2}, {3, 4}}};
  const std::tuple<int, std::vector<std::array<int, 2>>> more{10, {{10, 20}, {30, 40}}};
  add_up(sum, more);
  CHECK(sum == std::tuple<int, std::vector<std::array<int, 2>>>{11, {{11, 22}, {33, 44}}});
}

TEST_CASE("results of different sizes do not") {
  std::vector<int> sum{1, 2};
  CHECK_THROWS_WITH(add_up(sum, std::vector<int>{1}),
                    "ipuflow: a result of 1 value is added to one of 2; results that are summed up have one size");
}

}  // namespace add_up_test
