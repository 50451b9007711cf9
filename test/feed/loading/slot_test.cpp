// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/loading/slot.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace slot_test {

using namespace ipuflow;
using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

namespace {

constexpr const element_kind* ints[] = {&kind_of<int>};
using width = std::array<std::size_t, 1>;

int* numbers_of(const slot& s) { return static_cast<int*>(s[0].data()); }

}  // namespace

TEST_CASE("room that is there is used again") {
  slot s{ints};
  s.prepare(4, width{10});
  const int* const before = numbers_of(s);
  s.prepare(2, width{10});
  CHECK(numbers_of(s) == before);
  s.prepare(1, width{8});  // another width is another layout
  CHECK(s[0].width() == 8);
}

TEST_CASE("room can grow, and what is there stays") {
  constexpr const element_kind* kinds[] = {&kind_of<int>, &kind_of<std::unique_ptr<int>>};
  slot s{kinds};
  constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
  constexpr int most = 20'000;
  s.prepare_some(unlimited, std::array<std::size_t, 2>{3, 1});
  for (int i = 0; i < most; ++i) {
    const auto at = static_cast<std::size_t>(i);
    s.prepare_next(at, unlimited);
    for (int k = 0; k < 3; ++k) numbers_of(s)[3 * i + k] = i + k;
    static_cast<std::unique_ptr<int>*>(s[1].data())[at] = std::make_unique<int>(i);
  }
  const int* const numbers = numbers_of(s);
  const auto* const pointers = static_cast<const std::unique_ptr<int>*>(s[1].data());
  bool right = true;
  for (int i = 0; i < most; ++i) {
    const auto at = static_cast<std::size_t>(i);
    right = right && numbers[3 * at] == i && numbers[3 * at + 2] == i + 2 && *pointers[at] == i;
  }
  CHECK(right);
}

TEST_CASE("room whose bytes cannot be counted is refused, and the slot is as good as before") {
  slot s{ints};
  s.prepare(2, width{10});
  for (const std::size_t samples : {std::numeric_limits<std::size_t>::max(), std::size_t{1} << 62}) {
    CHECK_THROWS_AS(s.prepare(samples, width{10}), rejected<arithmetic_fault>);
  }
  CHECK_THROWS_AS(s.prepare(1, width{std::numeric_limits<std::size_t>::max() / 2}), rejected<arithmetic_fault>);
  s.prepare(2, width{10});
  numbers_of(s)[19] = 5;
  CHECK(s[0].width() == 10);
}

TEST_CASE("samples of another slot are moved to where they are wanted, if they are as wide") {
  slot from{ints}, into{ints};
  from.prepare(3, width{2});
  into.prepare_like(from, 4);
  for (int i = 0; i < 6; ++i) numbers_of(from)[i] = i;
  into.check_widths(from);
  into.take(from, 1, 2, 2);
  CHECK(std::vector<int>(numbers_of(into) + 4, numbers_of(into) + 8) == std::vector<int>{2, 3, 4, 5});
  from.prepare(3, width{1});
  CHECK_THROWS_AS(into.check_widths(from), rejected<slot_fault>);
}

TEST_CASE("the sample at a place: chosen, shuffled, or the next one") {
  slot s{ints};
  s.first = 3;
  CHECK(s.index_at(2) == 5);
  s.shuffled.emplace(permutation{10, 7});
  CHECK(s.index_at(2) == permutation{10, 7}[5]);
  s.chosen = {4, 2, 9};
  CHECK(s.index_at(2) == 9);
}

TEST_CASE("of several failures the first in order counts, and is forgotten when it is taken") {
  slot s{ints};
  for (const std::size_t at : {5u, 2u, 9u}) s.fail(at, std::make_exception_ptr(std::out_of_range{std::to_string(at)}));
  try {
    std::rethrow_exception(s.take_error());
  } catch (const std::out_of_range& wrong) {
    CHECK(std::string{wrong.what()} == "2");
  }
  CHECK(s.take_error() == nullptr);
}

}  // namespace slot_test
