// SPDX-License-Identifier: BSL-1.0
// Runs of whole timetables are tested in executor_test.cpp; here, one thread by itself.
#include <ipuflow/run/threads/follower.hpp>

#include <ipuflow/schedule/generators/grouped.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace follower_test {

using namespace ipuflow;

namespace {

/// Counts operations; throws at one of them.
struct counter {
  std::size_t done = 0;
  std::size_t throws_at = static_cast<std::size_t>(-1);

  run::progress perform(std::size_t, const schedule::op&, std::size_t) {
    if (done == throws_at) throw std::runtime_error{"no more"};
    ++done;
    return {1, run::attempt::done};
  }
};

const auto timetable = schedule::grouped({.ipus = 3, .micro_batches = 6});
const std::vector<std::size_t> all_lanes{0, 1, 2};

}  // namespace

TEST_CASE("A thread follows its lanes to their ends") {
  counter work;
  run::impl::run_signals signals;
  run::impl::follower one{work, run::impl::itinerary{timetable, all_lanes, 0}, signals, nullptr, 0, 0};
  one.follow();
  CHECK(one.finished());
  CHECK(one.performed() == schedule::operations(timetable));
  CHECK(work.done == one.performed());
  CHECK_NOTHROW(signals.failure.rethrow());
}

TEST_CASE("A thread leaves when an operation throws, and says so to the others") {
  counter work{.throws_at = 4};
  run::impl::run_signals signals;
  run::impl::follower one{work, run::impl::itinerary{timetable, all_lanes, 0}, signals, nullptr, 0, 0};
  one.follow();
  CHECK(one.performed() == 4);
  CHECK(signals.halt.load());
  CHECK_THROWS_AS(signals.failure.rethrow(), run::stage_failed);
}

TEST_CASE("A run may bring its own threads") {
  counter work;
  CHECK(run::execute(timetable, work, 1).performed == schedule::operations(timetable));
}

}  // namespace follower_test
