// SPDX-License-Identifier: BSL-1.0
// Oracle: the standard library, on every short row of small numbers.
#include <ipuflow/core/algorithms.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace algorithms_test {

namespace algorithms = ipuflow::algorithms;

static_assert(algorithms::min(3, 2) == 2 && algorithms::min(3, 2, 1) == 1 && algorithms::min(1, 2, 3) == 1);
static_assert(algorithms::max(3, 2) == 3 && algorithms::max(3, 2, 4) == 4 && algorithms::max<std::size_t>(3, 2u) == 3);
static_assert(algorithms::clamp(0, 1, 3) == 1 && algorithms::clamp(2, 1, 3) == 2 && algorithms::clamp(4, 1, 3) == 3);
static_assert([] {
  const std::array from{1, 2, 2, 3};
  std::array<int, 4> to{};
  algorithms::copy_n(from.data(), 4, to.data());
  const auto end = algorithms::unique(to.begin(), to.end());
  algorithms::reverse(to.begin(), end);
  return end - to.begin() == 3 && to[0] == 3 && to[1] == 2 && to[2] == 1;
}());

struct of_key {
  int key, place;
  friend bool operator<(const of_key& a, const of_key& b) { return a.key < b.key; }
};

/// All rows of up to five of the numbers 0, 1 and 2.
template <class Act>
void each_row(Act act) {
  for (std::size_t size = 0, rows = 1; size <= 5; ++size, rows *= 3) {
    for (std::size_t r = 0; r < rows; ++r) {
      std::vector<int> row;
      for (std::size_t i = 0, rest = r; i < size; ++i, rest /= 3) row.push_back(static_cast<int>(rest % 3));
      act(row);
    }
  }
}

TEST_CASE("what is looked for is found where the standard library finds it") {
  each_row([](const std::vector<int>& row) {
    const auto first = row.begin(), last = row.end();
    const auto is_two = [](int i) { return i == 2; };
    CHECK(algorithms::find(first, last, 1) == std::find(first, last, 1));
    CHECK(algorithms::find_if(first, last, is_two) == std::find_if(first, last, is_two));
    CHECK(algorithms::adjacent_find(first, last) == std::adjacent_find(first, last));
    CHECK(algorithms::any_of(first, last, is_two) == std::any_of(first, last, is_two));
    CHECK(algorithms::all_of(first, last, is_two) == std::all_of(first, last, is_two));
    CHECK(algorithms::none_of(first, last, is_two) == std::none_of(first, last, is_two));
    CHECK(algorithms::count(first, last, 1) == std::count(first, last, 1));
    CHECK(algorithms::count_if(first, last, is_two) == std::count_if(first, last, is_two));
    CHECK(algorithms::max_element(first, last) == std::max_element(first, last));
    CHECK(algorithms::min_element(first, last) == std::min_element(first, last));
    const auto greater = [](int a, int b) { return a > b; };
    CHECK(algorithms::max_element(first, last, greater) == std::max_element(first, last, greater));
    CHECK(algorithms::min_element(first, last, greater) == std::min_element(first, last, greater));
  });
}

TEST_CASE("rows are equal if they are as long and their elements are alike") {
  each_row([](const std::vector<int>& a) {
    each_row([&](const std::vector<int>& b) {
      const auto alike = [](int x, int y) { return x % 2 == y % 2; };
      REQUIRE(algorithms::equal(a.begin(), a.end(), b.begin(), b.end()) == (a == b));
      REQUIRE(algorithms::equal(a.begin(), a.end(), b.begin(), b.end(), alike) == std::equal(a.begin(), a.end(), b.begin(), b.end(), alike));
    });
  });
}

TEST_CASE("rows are reversed, made unique, copied and filled as the standard library does") {
  each_row([](const std::vector<int>& row) {
    std::vector<int> ours = row, theirs = row;
    algorithms::reverse(ours.begin(), ours.end());
    std::reverse(theirs.begin(), theirs.end());
    CHECK(ours == theirs);
    ours.erase(algorithms::unique(ours.begin(), ours.end()), ours.end());
    theirs.erase(std::unique(theirs.begin(), theirs.end()), theirs.end());
    CHECK(ours == theirs);

    std::vector<int> copied(row.size() + 1, 7);
    CHECK(algorithms::copy(row.begin(), row.end(), copied.begin()) == copied.end() - 1);
    CHECK((std::equal(row.begin(), row.end(), copied.begin()) && copied.back() == 7));
    algorithms::fill(copied.begin(), copied.end(), 5);
    CHECK(std::count(copied.begin(), copied.end(), 5) == std::ssize(copied));
    CHECK(algorithms::copy_n(row.data(), row.size(), copied.data()) == copied.data() + row.size());  // with memmove, of none too
    CHECK((std::equal(row.begin(), row.end(), copied.begin()) && copied.back() == 5));
  });
}

TEST_CASE("elements that are not plain bytes are copied and moved one by one; lists have their turn too") {
  const std::string texts[]{"a text that is too long for its place in the object", "b", "b"};
  std::list<std::string> all{"", "", ""};
  CHECK(algorithms::copy_n(texts, 3, all.begin()) == all.end());
  all.erase(algorithms::unique(all.begin(), all.end()), all.end());
  algorithms::reverse(all.begin(), all.end());
  CHECK(all == std::list<std::string>{"b", texts[0]});
  float halves[3]{};
  const short numbers[]{1, 2, 3};
  algorithms::copy(numbers, numbers + 3, halves);  // of another type: no bytes
  CHECK((halves[0] == 1 && halves[2] == 3));
}

TEST_CASE("of equals the first is taken, and what is filled may hold the value") {
  const of_key a{1, 0}, b{1, 1};
  CHECK((algorithms::min(a, b).place == 0 && algorithms::max(a, b).place == 0));
  std::vector<int> row{3, 1, 2};
  algorithms::fill(row.begin(), row.end(), row[1]);
  algorithms::fill(row.begin(), row.end(), row[0] + row[2]);
  CHECK(row == std::vector<int>{2, 2, 2});
}

TEST_CASE("what is exchanged for a value is given back") {
  std::unique_ptr<int> one = std::make_unique<int>(1);
  const std::unique_ptr<int> before = algorithms::exchange(one, nullptr);
  CHECK((*before == 1 && one == nullptr));
  std::vector<int> row{1, 2};
  CHECK((algorithms::exchange(row, {}) == std::vector<int>{1, 2} && row.empty()));
  static_assert([] {
    int n = 3;
    return algorithms::exchange(n, 4) == 3 && n == 4;
  }());
}

TEST_CASE("what can only move moves, and plain values are copied, also onto themselves further on") {
  std::vector<std::unique_ptr<int>> from;
  from.push_back(std::make_unique<int>(7));
  std::vector<std::unique_ptr<int>> to(2);
  CHECK(algorithms::move(from.data(), from.data() + 1, to.data()) == to.data() + 1);
  CHECK((*to[0] == 7 && from[0] == nullptr));
  int row[] = {1, 2, 3, 4};
  CHECK(algorithms::move(row + 1, row + 4, row) == row + 3);
  CHECK((row[0] == 2 && row[1] == 3 && row[2] == 4));
  static_assert([] {
    int a[] = {1, 2}, b[] = {0, 0};
    return algorithms::move(a, a + 2, b) == b + 2 && b[1] == 2;
  }());
}

}  // namespace algorithms_test
