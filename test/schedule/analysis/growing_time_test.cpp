// SPDX-License-Identifier: BSL-1.0
// The maximum of two times that grow is that of each cycle, for as many cycles as are promised, and not for one more.
#include <ipuflow/schedule/analysis/growing_time.hpp>

#include <doctest/doctest.h>

namespace growing_time_test {

using namespace ipuflow::schedule::impl;

namespace {

constexpr std::size_t without_end = static_cast<std::size_t>(-1);

struct taken {
  growing_time later{};
  std::size_t lasts = without_end;
  bool other = false;

  friend constexpr bool operator==(const taken&, const taken&) = default;
};

template <bool Kept>
constexpr taken take(growing_time now, growing_time other) {
  taken found;
  found.other = take_later<Kept>(now, other, found.lasts);
  found.later = now;
  return found;
}

constexpr std::size_t time_in(growing_time t, std::size_t cycle) { return t.at + cycle * t.growth; }

template <class Check>
void for_each_two(Check check) {
  for (std::size_t i = 0; i < 6 * 6 * 5 * 5; ++i) check(growing_time{i % 6, i / 36 % 5}, growing_time{i / 6 % 6, i / 180});
}

}  // namespace

TEST_CASE("the one that is taken is the maximum for as long as it lasts, and no longer") {
  for_each_two([](growing_time now, growing_time other) {
    const taken found = take<false>(now, other);
    const growing_time left = found.other ? now : other;
    CHECK(found.later == (found.other ? other : now));
    const std::size_t until = found.lasts == without_end ? 100 : found.lasts;
    for (std::size_t cycle = 0; cycle <= until; ++cycle) CHECK(time_in(found.later, cycle) >= time_in(left, cycle));
    if (found.lasts != without_end) CHECK(time_in(found.later, until + 1) < time_in(left, until + 1));
  });
}

TEST_CASE("where it is kept which one is taken, it lasts as long as a walk takes the same one: of equal times the first") {
  for_each_two([](growing_time now, growing_time other) {
    const auto walked = [&](std::size_t cycle) { return time_in(other, cycle) > time_in(now, cycle); };
    const taken found = take<true>(now, other);
    CHECK(found.other == walked(0));
    const std::size_t until = found.lasts == without_end ? 100 : found.lasts;
    for (std::size_t cycle = 0; cycle <= until; ++cycle) CHECK(walked(cycle) == found.other);
    if (found.lasts != without_end) CHECK(walked(until + 1) != found.other);
  });
}

static_assert(take<false>({5, 2}, {3, 3}) == taken{{5, 2}, 2, false});  // 5 7 9 11 and 3 6 9 12
static_assert(take<true>({5, 2}, {3, 3}) == taken{{5, 2}, 2, false});
static_assert(take<true>({3, 3}, {5, 2}) == taken{{5, 2}, 1, true});    // equal after two cycles: then the first

}  // namespace growing_time_test
