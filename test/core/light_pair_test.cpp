// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/light_pair.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace light_pair_test {

using ipuflow::light_pair;

static_assert(std::is_same_v<decltype(light_pair{1, 'a'}), light_pair<int, char>> && std::is_aggregate_v<light_pair<int, char>>);
static_assert(std::is_trivially_copyable_v<light_pair<int, char>> && sizeof(light_pair<int, int>) == 2 * sizeof(int));
static_assert(light_pair<int, int>{}.first == 0 && light_pair{1, 2} == light_pair{1, 2} && light_pair{1, 2} != light_pair{1, 3});

TEST_CASE("pairs are ordered as std::pair orders them") {
  for (int a = 0; a < 81; ++a) {
    const int d[] = {a % 3, a / 3 % 3, a / 9 % 3, a / 27};
    CHECK((light_pair{d[0], d[1]} < light_pair{d[2], d[3]}) == (std::pair{d[0], d[1]} < std::pair{d[2], d[3]}));
    CHECK((light_pair{d[0], d[1]} == light_pair{d[2], d[3]}) == (std::pair{d[0], d[1]} == std::pair{d[2], d[3]}));
  }
  CHECK((light_pair{light_pair{1, 2}, 3} < light_pair{light_pair{1, 3}, 0}));
}

TEST_CASE("structured bindings, values that only move, and places in a vector") {
  light_pair made{std::make_unique<int>(3), std::string{"three"}};
  auto& [number, name] = made;
  CHECK((*number == 3 && name == "three"));
  std::vector<light_pair<std::unique_ptr<int>, std::string>> all;
  all.push_back(std::move(made));
  all.emplace_back(nullptr, "none");
  CHECK((*all[0].first == 3 && all[1].first == nullptr && all[1].second == "none"));
}

}  // namespace light_pair_test
