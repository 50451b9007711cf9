// SPDX-License-Identifier: BSL-1.0
// Rounds are left out where the times behind them are known, and only there.
#include <ipuflow/schedule/analysis/closed_times.hpp>
#include <ipuflow/schedule/generators/gpipe.hpp>
#include <ipuflow/schedule/generators/inference.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

namespace steady_run_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

/// A state that counts the rounds that are run.
template <class State>
struct counting : State {
  using State::State;
  template <bool Growing>
  void repeat() {
    ++rounds;
    State::template repeat<Growing>();
  }
  std::size_t rounds = 0;
};

struct run_result {
  std::size_t last = 0;
  std::size_t rounds = 0;
};

template <class T, class Costs>
run_result run(const T& t, const Costs& c) {
  counting<max_plus_state<T, Costs>> state{t, c};
  modular_rounds rounds{t, state};
  REQUIRE(steady_run{state, rounds}.run());
  run_result found{.rounds = state.rounds};
  for (std::size_t ipu = 0; ipu < state.lanes(); ++ipu) found.last = state.last(ipu) > found.last ? state.last(ipu) : found.last;
  return found;
}

costs_of_stages<3> forwards(std::size_t first, std::size_t second, std::size_t third) {
  costs_of_stages<3> c;
  for (const std::size_t f : {first, second, third}) c.stage.push_back({.forward = f});
  return c;
}

/// Three times by hand: the first grows by 3 a round, the second by 1 until the first has caught up with it, the third by 1 until the
/// second has. Each reads what the round before left.
struct three_times {
  growing_time x{}, y{}, z{};
  std::size_t lasts = nowhere;
  std::size_t rounds = 0;

  [[nodiscard]] std::size_t lanes() const { return 3; }
  [[nodiscard]] std::size_t last(std::size_t lane) const { return (lane == 0 ? x : lane == 1 ? y : z).at; }
  [[nodiscard]] std::size_t events() const { return 3; }
  void begin_round() {}
  [[nodiscard]] bool can_repeat() const { return true; }
  [[nodiscard]] bool has_same_times() const { return true; }
  void begin_growth(std::size_t) { lasts = nowhere; }
  void have_repeated(std::size_t) {}
  template <class Visit>
  void for_each_time(Visit visit) {
    for (growing_time* const time : {&x, &y, &z}) visit(*time);
  }
  void grow(std::size_t cycles) {
    for_each_time([&](growing_time& time) { time.at += cycles * time.growth; });
  }
  template <bool Growing>
  void repeat() {
    ++rounds;
    z = later<Growing>({z.at + 1, z.growth}, y);
    y = later<Growing>({y.at + 1, y.growth}, x);
    x.at += 3;
  }
  template <bool Growing>
  growing_time later(growing_time a, growing_time b) {
    if (b.at > a.at || (b.at == a.at && b.growth > a.growth)) std::swap(a, b);
    if (Growing && b.growth > a.growth) lasts = std::min(lasts, (a.at - b.at) / (b.growth - a.growth));
    return a;
  }
};

struct alike_rounds {
  std::size_t left = 0;

  bool round(three_times& state) {
    state.repeat<false>();
    --left;
    return true;
  }
  [[nodiscard]] bool done() const { return left == 0; }
  [[nodiscard]] std::size_t alike() const { return left; }
  void leave_out(std::size_t rounds) { left -= rounds; }
};

}  // namespace

TEST_CASE("a growth that arrives changed is not yet known to last, though the time itself is as it was foreseen") {
  for (std::size_t ahead = 1; ahead <= 40; ++ahead) {  // the second time is caught up with in one round or another, in some just so
    three_times state{.y = {ahead, 0}, .z = {500, 0}};
    three_times walked = state;
    alike_rounds rounds{1000};
    REQUIRE(steady_run{state, rounds}.run());
    for (std::size_t i = 0; i < 1000; ++i) walked.repeat<false>();
    CAPTURE(ahead);
    CHECK(state.x.at == walked.x.at);
    CHECK(state.y.at == walked.y.at);
    CHECK(state.z.at == walked.z.at);
    CHECK(state.rounds < 300);
  }
}

TEST_CASE("IPUs that do not wait for each other grow at their own rates for ever") {
  const run_result found = run(inference({.ipus = 3, .micro_batches = 1'000'000}), forwards(5, 7, 9));
  CHECK(found.last == 5 + 7 + 9'000'000);
  CHECK(found.rounds < 20);
}

TEST_CASE("a regime that ends is left when it ends") {
  // The first IPU is the slowest by a little, so that the queues of the others run dry one after the other.
  costs_of_stages<3> c;
  c.stage.push_back({.forward = 1, .backward_inputs = 1000, .backward_weights = 1});
  c.stage.push_back({.forward = 1, .backward_inputs = 999, .backward_weights = 1});
  c.stage.push_back({.forward = 1, .backward_inputs = 998, .backward_weights = 1});
  for (const std::size_t count : {1000u, 100'000u}) {
    const run_result found = run(one_f_one_b({.ipus = 3, .micro_batches = count}), c);
    CHECK(found.last == 1002 * count + 999 + 1000);  // it waits for the first backwards of the others, and never again
    CHECK(found.rounds < 200);
  }
}

TEST_CASE("cycles of several rounds: messages that take long make the IPUs run in bursts") {
  const costs c{.forward = 1, .backward_inputs = 1, .backward_weights = 1, .communication = 100};
  const run_result few = run(one_f_one_b({.ipus = 4, .micro_batches = 400}), c);
  const run_result many = run(one_f_one_b({.ipus = 4, .micro_batches = 400'000}), c);
  CHECK(many.rounds < 200);
  CHECK(many.last - few.last == (400'000 - 400) / 4 * (4 * 3 + 6 * 100));  // four micro-batches a round trip
}

TEST_CASE("both halves of all forwards, then all backwards, have a regime each") {
  const run_result found = run(gpipe({.ipus = 3, .micro_batches = 50'000}), costs{});
  CHECK(found.last == 50'000 * 3 + 2 * 3);
  CHECK(found.rounds < 40);
}

}  // namespace steady_run_test
