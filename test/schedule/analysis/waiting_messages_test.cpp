// SPDX-License-Identifier: BSL-1.0
// What repeated rounds leave out of it is tested in max_plus_state_test.cpp, and against the walk in closed_times_test.cpp.
#include <ipuflow/schedule/analysis/waiting_messages.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace waiting_messages_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

void write(waiting_messages& all, std::size_t link, std::size_t at) {
  all.add<true>(link, {at, 0});
  all.count_written(link);
}
growing_time read(waiting_messages& all, std::size_t link) {
  all.count_read(link);
  return all.take<true>(link);
}

std::vector<std::size_t> times_in(waiting_messages& all) {
  std::vector<std::size_t> found;
  const auto visit = [&](const growing_time& time) { found.push_back(time.at); };
  all.for_each_time(visit);
  return found;
}

}  // namespace

TEST_CASE("the times of a round are those of links that it reads as often as it writes them, and of links that it leaves alone") {
  waiting_messages all{4};
  for (const std::size_t link : {0u, 1u, 2u}) all.add<true>(link, {10 + link, 0});
  CHECK(times_in(all) == std::vector<std::size_t>{10, 11, 12});
  write(all, 0, 20);  // as often
  read(all, 0);
  read(all, 1);      // only read
  write(all, 3, 23);  // only written
  REQUIRE(all.can_repeat());
  CHECK_FALSE(all.are_of_same_links());  // the fourth was one of them, though nothing was there
  CHECK(times_in(all) == std::vector<std::size_t>{20, 12});
  write(all, 1, 31);
  read(all, 3);
  REQUIRE(all.can_repeat());
  CHECK(all.are_of_same_links());
  REQUIRE(all.can_repeat());
  CHECK_FALSE(all.are_of_same_links());
  CHECK(times_in(all) == std::vector<std::size_t>{20, 31, 12});
}

TEST_CASE("a link that is read and written, but not as often, keeps a round from being repeated") {
  waiting_messages all{1};
  write(all, 0, 1);
  write(all, 0, 2);
  read(all, 0);
  CHECK_FALSE(all.can_repeat());
}

TEST_CASE("cycles are as many as the shortest of the links that are only read has at equal distances") {
  waiting_messages all{3};
  for (const std::size_t link : {0u, 1u}) {
    all.add<true>(link, {5, 3});
    all.rings().repeat_newest(link, 1, 10 + link);
    all.take<true>(link);
  }
  CHECK(all.last(1) == nowhere);  // nothing is read
  read(all, 0);
  read(all, 1);
  write(all, 2, 7);
  REQUIRE(all.can_repeat());
  CHECK(all.last(1) == 8);
  for (const std::size_t link : {0u, 1u}) CHECK(all.take<true>(link).growth == 3);
  all.add<true>(2, {17, 10});
  all.leave_out(1, 4);
  CHECK(all.rings().size(0) == 4);
  CHECK(all.rings().size(1) == 5);
  CHECK(all.rings().size(2) == 6);
  CHECK(all.take<true>(0).at == 8 + 3 * 6);
}

}  // namespace waiting_messages_test
