// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/iterators.hpp>

#include <doctest/doctest.h>

namespace iterators_test {

struct counting {
  int at = 0;
  int operator*() const { return at; }
  counting& operator++() { return ++at, *this; }
  void operator++(int) { ++at; }
  friend bool operator==(const counting& i, ipuflow::range_end) { return i.at == 3; }
  using difference_type = std::ptrdiff_t;
  using value_type = int;
};
struct three {
  counting begin() const { return {}; }
  ipuflow::range_end end() const { return {}; }
};
struct for_ever {
  counting begin() const { return {}; }
  ipuflow::no_end end() const { return {}; }
};

static_assert(std::ranges::input_range<for_ever> && std::sentinel_for<ipuflow::no_end, const int*>);
static_assert(std::ranges::input_range<three> && !std::ranges::forward_range<three> && !std::ranges::sized_range<three>);
static_assert(std::is_same_v<std::ranges::iterator_t<three>, counting> && std::ranges::contiguous_range<int[3]>);

TEST_CASE("ranges of own iterators, sizes and ends of arrays") {
  int sum = 0;
  for (const int i : three{}) sum += i;
  CHECK(sum == 3);
  for (const int i : for_ever{}) {
    sum += i;
    if (i == 9) break;
  }
  CHECK(sum == 3 + 45);
  const int numbers[] = {1, 2, 3, 4};
  CHECK((std::size(numbers) == 4 && std::end(numbers) - std::begin(numbers) == 4 && std::ranges::size(numbers) == 4));
}

}  // namespace iterators_test
