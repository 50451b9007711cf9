// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/loading/gather.hpp>
#include <ipuflow/feed/sources/rows.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace gather_test {

using namespace ipuflow::feed;

TEST_CASE("samples are gathered to their places, of a width known from the type or from a sample") {
  std::vector<int> numbers(40);
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::atomic<bool> go_on{false};
  const auto check = [&](auto dataset) {
    gatherer gather{dataset};
    typename decltype(gather)::slot_type s;
    gather.make_room(s, 4, 0);
    gather.fill(s, {1, 2}, [](std::size_t at) { return 9 - at; }, go_on);
    s.size = 4;
    const auto [column] = s.columns();
    CHECK(column.width() == 4);
    CHECK(column[1][0] == 32);
    CHECK(column[2][3] == 31);
  };
  check(rows<4>(numbers));
  check(rows(numbers, 4));
}

TEST_CASE("a failure is recorded with the index below all adaptors, and ends the part") {
  const std::vector<int> numbers{0, 1, 2, 3, 4, 5, 6, 7};
  const auto d = numbers | map([](int i) { return i == 5 ? throw std::runtime_error{"five"} : i; }) | shuffle(3);
  gatherer gather{d};
  typename decltype(gather)::slot_type s;
  gather.make_room(s, 8, 0);
  gather.fill(s, {0, 8}, [](std::size_t at) { return at; }, std::atomic<bool>{false});
  try {
    std::rethrow_exception(s.take_error());
  } catch (const sample_error& wrong) {
    CHECK(wrong.index() == 5);
  }
}

TEST_CASE("an abandoned part is not filled to its end") {
  std::size_t asked = 0;
  const std::vector<int> numbers(100);
  gatherer gather{numbers | map([&](int i) { return ++asked, i; })};
  typename decltype(gather)::slot_type s;
  gather.make_room(s, 100, 0);
  gather.fill(s, {0, 100}, [](std::size_t at) { return at; }, std::atomic<bool>{true});
  CHECK(asked == 0);
}

}  // namespace gather_test
