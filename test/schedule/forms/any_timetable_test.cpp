// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/forms/any_timetable.hpp>

#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/traffic.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <utility>

namespace any_timetable_test {

using namespace ipuflow;
using schedule::any_timetable;

namespace {

/// The first IPU whose walk differs, or how many there are.
template <class T>
std::size_t first_unlike(const T& t, const any_timetable& seen) {
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    auto expected = t.walk(ipu);
    auto found = seen.walk(ipu);
    for (; expected && found; ++expected, ++found) {
      if (!(*expected == *found) || found->step != expected->step) return ipu;
    }
    if (expected || found) return ipu;
  }
  return t.where.ipus;
}

/// The same in runs, as far as a walk can look ahead.
std::size_t operations_in_runs(const any_timetable& t) {
  std::size_t count = 0;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    for (auto walk = t.walk(ipu); walk;) {
      const schedule::op first = *walk;
      const std::size_t ahead = walk.repeats();
      walk += ahead;
      count += ahead;
      if (walk && ahead > 1) CHECK_FALSE(schedule::op{first.kind, first.stage, first.micro_batch + ahead} == *walk);
    }
  }
  return count;
}

template <class T>
void check_same(const T& t) {
  const any_timetable seen = t;
  CHECK(first_unlike(t, seen) == t.where.ipus);
  CHECK(operations_in_runs(seen) == schedule::operations(t));
  CHECK(seen.where.seats() == t.where.seats());
  for (std::size_t stage = 0; stage <= t.where.stages; ++stage) CHECK(seen.where.first_seat(stage) == t.where.first_seat(stage));
  for (std::size_t seat = 0; seat < t.where.seats(); ++seat) {
    for (const std::size_t m : {std::size_t{0}, t.where.micro_batches - 1}) {
      CHECK(seen.where.ipu_of(seat, m) == t.where.ipu_of(seat, m));
    }
  }
  CHECK(schedule::receive_buffers(seen).forward == schedule::receive_buffers(t).forward);
  CHECK(seen.run_for == t.run_for);
  CHECK(seen.goes == t.goes);
}

}  // namespace

TEST_CASE("Every schedule of the catalogue, closed form or table, is the same seen as any timetable") {
  for (const auto& name : schedule::schedule_names) {
    CAPTURE(name);
    schedule::with_schedule(name, schedule::setup{4, 1, 8}, [](const auto& t) {
      if (t.refused) return;
      check_same(t);
      check_same(schedule::tabulate(t));
    });
  }
}

TEST_CASE("Lists of few and of many seats are the same seen as any timetable, and faults in them are the same while a program runs") {
  using namespace schedule;
  check_same(grouped(devices(0, 1, 2), micro_batches<6>));
  check_same(grouped(devices(0, on_ipus(1, 2), 3), micro_batches<6>));
  check_same(grouped(devices(0, 1, 0, 1), micro_batches<8>));
  check_same(interleaved(devices(0, 0, 1, 1), micro_batches<8>, mode::inference));  // members unevenly apart
  CHECK_FALSE(interleaved(devices(0, 0, 1, 1), micro_batches<8>, mode::inference).where.delays.empty());
  check_same(grouped(devices(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14), micro_batches<30>));
  check_same(grouped(devices(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), micro_batches<34>));

  auto broken = grouped(devices(0, on_ipus(1, 2), 3), micro_batches<6>);
  CHECK_FALSE(verify(broken));
  broken[pass::backward].runs = who::none;
  CHECK(verify(broken) == impl::verify_closed(broken));
  CHECK(verify(broken).kind == schedule_wrong::missing_op);
  broken = grouped(devices(0, on_ipus(1, 2), 3), micro_batches<6>);
  broken[pass::backward].at = 0;
  CHECK(verify(broken) == impl::verify_closed(broken));
  CHECK(verify(broken).kind == schedule_wrong::backward_first);
}

TEST_CASE("A refusal is handed on; a walk that was moved from has ended") {
  const auto refused = schedule::grouped(schedule::setup{4, 1, 3});
  CHECK(any_timetable{refused}.refused == refused.refused);
  const auto t = schedule::grouped(schedule::setup{2, 1, 8});
  const any_timetable seen = t;
  auto walk = seen.walk(0);
  const auto first = *walk;
  schedule::any_walk other = std::move(walk);
  CHECK(*other == first);
  CHECK_FALSE(static_cast<bool>(walk));  // NOLINT(bugprone-use-after-move): that is what is asked
  walk = std::move(other);
  CHECK(*walk == first);
}

}  // namespace any_timetable_test
