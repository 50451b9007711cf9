// SPDX-License-Identifier: BSL-1.0
// Oracle: std::vector under the same random pushes and pops.
#include <ipuflow/core/bounded_vector.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <type_traits>
#include <vector>

namespace bounded_vector_test {

using namespace ipuflow;

namespace {

template <auto Value>
struct of {};

constexpr bounded_vector<int, 4> pushed_and_popped() {
  bounded_vector<int, 4> v;
  for (int i = 1; i <= 4; ++i) v.push_back(i);
  v.pop_back();
  v.pop_back();
  return v;
}

static_assert(std::is_same_v<of<pushed_and_popped()>, of<bounded_vector<int, 4>{{1, 2}, 2}>>,
              "equal contents are equal template arguments");
static_assert(!std::is_same_v<of<pushed_and_popped()>, of<bounded_vector<int, 4>{{1, 3}, 2}>>);
static_assert(pushed_and_popped().at(1) == 2 && pushed_and_popped().front() == 1 && pushed_and_popped().back() == 2);
static_assert(bounded_vector<int, 0>{}.empty() && bounded_vector<int, 0>::capacity() == 0);

template <std::size_t Capacity>
void agrees_with_a_vector(unsigned seed) {
  std::mt19937 random{seed};
  bounded_vector<int, Capacity> ours;
  std::vector<int> theirs;
  for (int step = 0; step < 2000; ++step) {
    const unsigned what = random() % 16;
    if (what < 9 && theirs.size() < Capacity) {
      ours.push_back(step);
      theirs.push_back(step);
    } else if (what < 9) {
      CHECK_THROWS_AS(ours.push_back(step), error);
    } else if (what < 15 && !theirs.empty()) {
      ours.pop_back();
      theirs.pop_back();
    } else if (what == 15 && random() % 8 == 0) {
      ours.clear();
      theirs.clear();
    }
    REQUIRE(ours.size() == theirs.size());
    REQUIRE(std::ranges::equal(ours, theirs));
    REQUIRE(ours.empty() == theirs.empty());
    for (std::size_t i = 0; i < theirs.size(); ++i) REQUIRE(ours.at(i) == theirs[i]);
    REQUIRE_THROWS_AS(static_cast<void>(ours.at(theirs.size())), error);
  }
}

}  // namespace

TEST_CASE("it does what a vector does, and refuses what does not fit") {
  agrees_with_a_vector<0>(1);
  agrees_with_a_vector<1>(2);
  agrees_with_a_vector<2>(3);
  agrees_with_a_vector<7>(4);
  agrees_with_a_vector<32>(5);
}

TEST_CASE("what it refuses, it says with its numbers") {
  bounded_vector<int, 2> v{{1, 2}, 2};
  CHECK_THROWS_WITH(v.push_back(3),
                    "ipuflow: a bounded_vector of capacity 2 is asked to hold 3 elements; give it more capacity");
  CHECK_THROWS_WITH(static_cast<void>(v.at(5)),
                    "ipuflow: element 5 of a bounded_vector is asked for, but it holds 2; ask for an index below its size()");
  CHECK(v == bounded_vector<int, 2>{{1, 2}, 2});
}

TEST_CASE("vectors of different capacity compare by what they hold") {
  const bounded_vector<int, 3> a{{1, 2}, 2};
  CHECK(a == bounded_vector<int, 9>{{1, 2}, 2});
  CHECK(a != bounded_vector<int, 9>{{1, 2, 0}, 3});
  CHECK(a != bounded_vector<int, 3>{{2, 1}, 2});
}

}  // namespace bounded_vector_test
