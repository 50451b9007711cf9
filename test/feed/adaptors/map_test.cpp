// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>
#include <ipuflow/feed/sources/zip.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <list>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace map_test {

using namespace ipuflow::feed;

constexpr std::array numbers{1, 2, 3};
static_assert((numbers | map([](int i) { return i * i; }))[2] == 9);
static_assert((numbers | map([](int i) { return i * i; }) | map([](int i) { return i + 1; })).size() == 3);

TEST_CASE("a transform runs when a sample is asked for, and then once") {
  std::size_t calls = 0;
  const auto d = numbers | map([&calls](int i) { return ++calls, i + 10; });
  CHECK(calls == 0);
  CHECK(d[1] == 12);
  CHECK(calls == 1);
}

TEST_CASE("a tuple is handed over field by field, or whole to whoever takes it whole") {
  const auto pairs = zip(numbers, std::vector<int>{4, 5, 6});
  CHECK((pairs | map([](int a, int b) { return a * b; }))[2] == 18);
  CHECK((pairs | map([](const auto& whole_sample) { return std::get<1>(whole_sample); }))[0] == 4);
}

TEST_CASE("ranges are transformed by range-v3, and stay lazy") {
  const std::list<int> l{1, 2, 3};
  std::size_t calls = 0;
  const auto r = l | map([&calls](int i) { return ++calls, 2 * i; }) | take(2);
  CHECK(calls == 0);
  std::vector<int> seen;
  for (const int i : r) seen.push_back(i);
  CHECK(seen == std::vector<int>{2, 4});
  std::vector<int> sums;
  const std::list<std::tuple<int, int>> pairs{{1, 2}, {3, 4}};
  for (const int i : pairs | map([](int a, int b) { return a + b; })) sums.push_back(i);
  CHECK(sums == std::vector<int>{3, 7});
}

TEST_CASE("a part of a sample outlives the sample that was made for it, and one of what is kept stays where it is") {
  struct point {
    std::string name;
    int number;
  };
  const auto makes = [](int i) { return point{std::string(30, static_cast<char>('a' + i)), i}; };
  const auto names = numbers | map(makes) | map(&point::name);
  static_assert(std::is_same_v<decltype(names[0]), std::string>);
  const auto called = numbers | map(makes) | map([](const point& p) -> const std::string& { return p.name; });
  static_assert(std::is_same_v<decltype(called[0]), std::string>);
  CHECK(called[2] == std::string(30, 'd'));
  const auto both = zip(numbers, numbers) | map([](const int& a, const int& b) -> const int& { return a < b ? b : a; });
  CHECK(both[1] == 2);
  const auto copies = numbers | map([](int i) { return i + 1; }) | map([](const int& i) -> const int& { return i; });
  static_assert(std::is_same_v<decltype(copies[0]), int>);
  const std::vector<std::string> table{"zero", "one", "two", "three"};
  const auto looked_up = numbers | map([](int i) { return i; }) | map([&](int i) -> const std::string& { return table[static_cast<std::size_t>(i)]; });
  CHECK(&looked_up[1] == &table[2]);  // a number holds no string
  CHECK(names[1] == std::string(30, 'c'));
  const auto moved = numbers | map(makes) | map([](point&& p) -> point&& { return std::move(p); });
  static_assert(std::is_same_v<decltype(moved[0]), point>);
  const auto pairs = numbers | map([=](int i) { return std::tuple{makes(i), i}; });
  const auto firsts = pairs | map([](point&& p, int) -> point&& { return std::move(p); });
  CHECK(firsts[0].name == std::string(30, 'b'));
  const std::list<int> l{0, 1};
  std::string all;
  for (const std::string& name : l | map(makes) | map(&point::name)) all += name;
  CHECK(all == std::string(30, 'a') + std::string(30, 'b'));
  const std::vector<point> kept{makes(0), makes(1)};
  CHECK(&(kept | map(&point::name))[1] == &kept[1].name);
}

}  // namespace map_test
