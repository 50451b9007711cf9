// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/mpi/alarms.hpp>

#include "all_processes.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <thread>

namespace alarms_test {

using namespace ipuflow;
using mpi::impl::alarm_kind;

namespace {

template <class Ready>
bool look_until(mpi::impl::alarms& a, const Ready& ready) {
  for (int i = 0; i < 5000; ++i) {
    a.look();
    if (ready()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return false;
}

}  // namespace

TEST_CASE("of several failures all processes tell the first") {
  mpi::world& all = test::all_processes();
  mpi::impl::alarms bells{all.communicator(), all.process(), all.processes()};
  const std::size_t last = all.processes() - 1;
  CHECK(bells.first_failure().time == 0);
  if (all.process() == last) {
    bells.send(alarm_kind::failed, all.host(), "it rained");
    CHECK(bells.any_failed() == (last > 0));  // at once: what it has begun with others is over
  }
  if (last > 0) {
    REQUIRE(look_until(bells, [&] { return bells.last_of(last) == alarm_kind::failed; }));
    if (all.process() == 0) bells.send(alarm_kind::failed, all.host(), "it was dark");  // for it has seen the first
    REQUIRE(look_until(bells, [&] { return bells.last_of(0) == alarm_kind::failed; }));
  }
  CHECK(bells.first_failure().process == last);
  CHECK(bells.first_failure().what.view() == "it rained");
  all.meet();
}

TEST_CASE("who has ended is no failure, and a failure is told once") {
  mpi::world& all = test::all_processes();
  mpi::impl::alarms bells{all.communicator(), all.process(), all.processes()};
  bells.send(alarm_kind::waits, all.host(), "");
  bells.send(alarm_kind::ended, all.host(), "");
  bells.send(alarm_kind::ended, all.host(), "again");
  for (std::size_t p = 0; p < all.processes(); ++p) REQUIRE(look_until(bells, [&] { return bells.last_of(p) == alarm_kind::ended; }));
  CHECK_FALSE(bells.any_failed());
  all.meet();
}

}  // namespace alarms_test
