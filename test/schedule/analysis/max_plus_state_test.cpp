// SPDX-License-Identifier: BSL-1.0
// A run by hand: when IPUs are free and messages come, and for how many rounds a maximum is taken by the same argument.
#include <ipuflow/schedule/analysis/max_plus_state.hpp>
#include <ipuflow/schedule/generators/inference.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace max_plus_state_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

template <class State>
bool take(State& state, std::size_t ipu, const op& o) {
  return state.take(state.event_of(ipu, o));
}

template <class State>
std::vector<std::size_t> times_in(State& state) {
  std::vector<std::size_t> all;
  state.for_each_time([&](const growing_time& time) { all.push_back(time.at); });
  return all;
}

}  // namespace

TEST_CASE("operations begin when their IPU is free and their message is there") {
  const auto t = one_f_one_b({.ipus = 2, .micro_batches = 2});
  const costs c{.forward = 3, .backward_inputs = 2, .backward_weights = 2, .communication = 5};
  max_plus_state state{t, c};
  CHECK_FALSE(take(state, 1, {pass::forward, 1, 0}));  // nothing was sent
  CHECK(take(state, 0, {pass::forward, 0, 0}));        // 0 to 3, there at 8
  CHECK(take(state, 0, {pass::forward, 0, 1}));        // 3 to 6, there at 11
  CHECK(take(state, 1, {pass::forward, 1, 0}));        // 8 to 11
  CHECK(take(state, 1, {pass::backward, 1, 0}));       // 11 to 15, there at 20
  CHECK(take(state, 1, {pass::forward, 1, 1}));        // 15 to 18, though there at 11
  CHECK(take(state, 0, {pass::backward, 0, 0}));       // 20 to 24
  CHECK(state.first(1) == 8);
  CHECK(state.last(0) == 24);
  CHECK(state.busy(0) == 10);
  CHECK(state.last(1) == 18);
  CHECK_FALSE(take(state, 0, {pass::backward, 0, 1}));
}

TEST_CASE("a repeated round is the round, and a growth lasts until another time overtakes") {
  costs_of_stages<2> c;
  c.stage.push_back({.forward = 10, .communication = 1});
  c.stage.push_back({.forward = 7});
  const auto t = inference({.ipus = 2, .micro_batches = 100});
  max_plus_state state{t, c};
  for (std::size_t m = 0; m < 3; ++m) {
    state.begin_round();
    CHECK(take(state, 0, {pass::forward, 0, m}));
    CHECK(take(state, 1, {pass::forward, 1, m}));
    REQUIRE(state.can_repeat());
  }
  CHECK(times_in(state) == std::vector<std::size_t>{30, 38, 0});
  state.repeat<false>();
  CHECK(times_in(state) == std::vector<std::size_t>{40, 48, 0});

  // The second IPU waits for the first one, which grows by 10. If the second grew by 12, it would be behind after two cycles.
  std::size_t next = 0;
  const std::size_t growths[] = {10, 12, 0};
  state.for_each_time([&](growing_time& time) { time.growth = growths[next++]; });
  state.repeat<true>();
  CHECK(state.lasts == 1);  // 51 is waited for, and 48 is free: 51 + 10 n >= 48 + 12 n up to n = 1
  state.grow(1);
  CHECK(times_in(state) == std::vector<std::size_t>{60, 68, 0});
  state.have_repeated(3);
  CHECK(state.busy(0) == 60);
}

TEST_CASE("a round that only writes a link leaves ever more messages, at equal distances, and one that only reads takes them") {
  costs_of_stages<2> c;
  c.stage.push_back({.forward = 10, .communication = 1});
  c.stage.push_back({.forward = 7});
  const auto t = one_f_one_b({.ipus = 2, .micro_batches = 100});
  max_plus_state state{t, c};
  const auto repeat_growing = [&](std::size_t growth, std::size_t lane, std::size_t cycles) {
    std::size_t next = 0;
    state.begin_growth(1);
    state.for_each_time([&](growing_time& time) { time.growth = next++ == lane ? growth : 0; });
    state.repeat<true>();
    CHECK(state.lasts >= cycles);
    state.grow(cycles);
  };
  state.begin_round();
  CHECK(take(state, 0, {pass::forward, 0, 0}));  // 0 to 10, there at 11
  REQUIRE(state.can_repeat());
  repeat_growing(10, 0, 20);  // 22 messages, there at 11, 21 ... 221
  CHECK(state.last(0) == 220);
  state.begin_round();
  CHECK(take(state, 1, {pass::forward, 1, 0}));  // 11 to 18
  REQUIRE(state.can_repeat());
  state.repeat<false>();  // 21 to 28
  CHECK(state.last(1) == 28);
  repeat_growing(10, 1, 18);
  CHECK(state.last(1) == 218);
  state.repeat<false>();
  CHECK(state.last(1) == 228);
  CHECK_FALSE(take(state, 1, {pass::forward, 1, 22}));
}

TEST_CASE("a round that reads a link less often than it writes it is not repeated") {
  const auto t = one_f_one_b({.ipus = 2, .micro_batches = 4});
  max_plus_state state{t, costs{}};
  state.begin_round();
  CHECK(take(state, 0, {pass::forward, 0, 0}));
  CHECK(take(state, 0, {pass::forward, 0, 1}));
  CHECK(take(state, 1, {pass::forward, 1, 0}));
  CHECK_FALSE(state.can_repeat());
}

namespace {

/// For how many cycles the maxima of two IPUs stay, if the second takes that long and the times of the two grow so.
template <class Log>
std::size_t lasting(std::size_t second, std::size_t of_first, std::size_t of_second) {
  costs_of_stages<2> c;
  c.stage.push_back({.forward = 10, .communication = 1});
  c.stage.push_back({.forward = second});
  const auto t = inference({.ipus = 2, .micro_batches = 100});
  max_plus_state<modular<>, costs_of_stages<2>, Log> state{t, c};
  for (std::size_t m = 0; m < 3; ++m) {
    state.begin_round();
    CHECK(take(state, 0, {pass::forward, 0, m}));
    CHECK(take(state, 1, {pass::forward, 1, m}));
  }
  std::size_t next = 0;
  const std::size_t growths[] = {of_first, of_second, 0};
  state.for_each_time([&](growing_time& time) { time.growth = growths[next++]; });
  state.template repeat<true>();
  return state.lasts;
}

}  // namespace

TEST_CASE("with a log a choice lasts only where it is that of a walk: of equal times the IPU's own") {
  // The message comes 4 before the second IPU is waited for, which grows faster by 2: equal after two cycles.
  CHECK(lasting<no_log>(6, 10, 12) == 2);
  CHECK(lasting<run_log>(6, 10, 12) == 1);
  CHECK(lasting<run_log>(7, 10, 12) == 1);  // by 3: never equal
  // Equal now, and the message grows faster: this cycle takes the IPU's own, the next ones the message.
  CHECK(lasting<no_log>(10, 12, 10) == nowhere);
  CHECK(lasting<run_log>(10, 12, 10) == 0);
  // The IPU is behind its messages by 3, and these grow faster by 1: equal after three cycles, and still its own.
  CHECK(lasting<no_log>(11, 12, 11) == 3);
  CHECK(lasting<run_log>(11, 12, 11) == 3);
}

}  // namespace max_plus_state_test
