// SPDX-License-Identifier: BSL-1.0
// What grows is every time of the state, and what was left out stands in the log. Runs are tested in max_plus_state_test.cpp.
#include <ipuflow/schedule/analysis/run_state.hpp>
#include <ipuflow/schedule/forms/grid.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace run_state_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

/// Two IPUs, the first of which sends to the second.
struct by_hand : run_state<run_log> {
  by_hand() : run_state<run_log>{grid{2, 2, 10}, costs{}} {}

  void round(std::size_t at) {
    log_.begin_round();
    for (std::size_t ipu = 0; ipu < 2; ++ipu) put<false>(free_[ipu], {at + ipu, 0});
    waiting_.add<false>(0, {at, 0});
    waiting_.count_written(0);
    waiting_.count_read(0);
    if (at > 0) waiting_.take<false>(0);
  }
  bool can_repeat() { return waiting_.can_repeat(); }
  void repeat(std::size_t cycles) {
    for (std::size_t i = 0; i < cycles; ++i) begin_repeat<true>();
  }
};

std::vector<std::size_t> times_in(by_hand& state) {
  std::vector<std::size_t> all;
  state.for_each_time([&](const growing_time& time) { all.push_back(time.at); });
  return all;
}

}  // namespace

TEST_CASE("all times grow by their own growth in each cycle, and the cycles stand in the log as left out") {
  by_hand state;
  state.round(5);
  REQUIRE(state.can_repeat());
  CHECK(state.lanes() == 2);
  CHECK(state.last(1) == 6);
  const std::vector<std::size_t> before = times_in(state);
  state.begin_growth(2);
  CHECK(state.lasts == nowhere);
  std::size_t next = 0;
  state.for_each_time([&](growing_time& time) { time.growth = ++next; });
  state.repeat(2);  // a cycle of two rounds
  state.grow(10);
  const std::vector<std::size_t> after = times_in(state);
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < after.size(); ++i) CHECK(after[i] == before[i] + 10 * (i + 1));
  REQUIRE(state.log().skips().size() == 1);
  CHECK(state.log().skips()[0].rounds == 20);
  CHECK(state.log().skips()[0].cycle == 2);
}

}  // namespace run_state_test
