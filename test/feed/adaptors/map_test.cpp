// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>
#include <ipuflow/feed/sources/zip.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <list>
#include <tuple>
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

}  // namespace map_test
