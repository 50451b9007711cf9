// SPDX-License-Identifier: BSL-1.0
// A dynamic_array holds what is put into it, in constants and at run time.
#include <ipuflow/core/dynamic_array.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <type_traits>
#include <vector>

namespace dynamic_array_test {

using ipuflow::dynamic_array;

namespace {

constexpr std::size_t sum_of(std::size_t count) {
  dynamic_array<std::size_t> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(i);
  dynamic_array<std::size_t> copy = all;
  copy = static_cast<dynamic_array<std::size_t>&&>(all);
  std::size_t sum = 0;
  for (const std::size_t i : copy) sum += i;
  return sum;
}
static_assert(sum_of(0) == 0 && sum_of(100) == 4950);

/// Copies take memory, which may not be there; a class with such a member has to know it.
struct with_an_array {
  dynamic_array<int> numbers{};
};
static_assert(!std::is_nothrow_copy_assignable_v<with_an_array> && std::is_nothrow_move_assignable_v<with_an_array>);
static_assert(!std::is_nothrow_copy_constructible_v<with_an_array> && std::is_nothrow_move_constructible_v<with_an_array>);

}  // namespace

TEST_CASE("it is a vector") {
  dynamic_array<std::vector<int>> nested{3, {1, 2}};
  std::vector<std::vector<int>> oracle(3, {1, 2});
  for (int i = 0; i < 40; ++i) {
    nested.push_back({i});
    oracle.push_back({i});
    if (i % 3 == 0) nested.pop_back(), oracle.pop_back();
  }
  const dynamic_array<std::vector<int>> copy = nested;
  REQUIRE(copy.size() == oracle.size());
  for (std::size_t i = 0; i < oracle.size(); ++i) CHECK(copy[i] == oracle[i]);
  CHECK(nested.back() == oracle.back());
  CHECK(dynamic_array<int>{}.empty());
  nested = {};
  CHECK(nested.empty());
  CHECK(copy.size() == oracle.size());
}

struct counted {
  static inline int live = 0;
  bool throws = false;

  counted() { ++live; }
  counted(const counted& other) : throws{other.throws} { ++live; }
  ~counted() { --live; }
  counted& operator=(const counted& other) {
    if (throws || other.throws) throw std::runtime_error{"no"};
    return *this;
  }
};

TEST_CASE("an element that throws while the array grows leaves it as it was, but for what has moved, and nothing else behind") {
  {
    dynamic_array<counted> all(3);
    all[1].throws = true;
    CHECK_THROWS_AS(all.reserve(100), std::runtime_error);
    CHECK(all.size() == 3);
    CHECK(counted::live == 3);
  }
  CHECK(counted::live == 0);
}

}  // namespace dynamic_array_test
