// SPDX-License-Identifier: BSL-1.0
// After the first step nothing is allocated for a micro-batch: what a step allocates does not depend on their number.
#include "counted_allocations.hpp"

#ifdef COUNTS_ALLOCATIONS

#include "forked_network.hpp"

#include <doctest/doctest.h>

#include <cstddef>

namespace session_allocation_test {

using namespace ipuflow;

namespace {

/// What the third step allocates.
template <class P, class T>
std::size_t of_a_step(const P& network, const T& timetable, feed::output_mode how) {
  auto o = test::small_options();
  o.device_iterations = 3;
  o.outputs = how;
  train::session session{network, timetable, train::adamw{}, o, on::threads{.count = 2}};
  const test::made_up data{session.samples_per_step()};
  session(data), session(data);
  const std::size_t before = allocations;
  session(data);
  return allocations - before;
}

}  // namespace

TEST_CASE("a step of 64 micro-batches allocates what a step of 8 does") {
  for (const auto how : {feed::output_mode::all, feed::output_mode::sum, feed::output_mode::final}) {
    const std::size_t few =
        of_a_step(test::small_network, schedule::one_f_one_b(schedule::setup_of(test::small_network, 8)), how);
    const std::size_t many =
        of_a_step(test::small_network, schedule::one_f_one_b(schedule::setup_of(test::small_network, 64)), how);
    MESSAGE("allocations in a step of three runs: " << few);
    CHECK(many == few);
    CHECK(few <= 3 * 16);
  }
  CHECK(of_a_step(test::small_network, schedule::grouped(schedule::setup_of(test::small_network, 64)),
                  feed::output_mode::all) <= 3 * 16);
}

TEST_CASE("with concurrent branches and checkpoints too") {
  const auto found = [](auto count) {
    constexpr auto within = schedule::recomputation::and_backpropagate;
    return of_a_step(test::forked_network, schedule::grouped(test::forked_network, count, {.recompute = within}),
                     feed::output_mode::all);
  };
  CHECK(found(micro_batches<64>) == found(micro_batches<8>));
}

}  // namespace session_allocation_test

#endif
