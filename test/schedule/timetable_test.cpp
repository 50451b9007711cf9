// SPDX-License-Identifier: BSL-1.0
// All forms are timetables, and so is a user's own type that only walks.
#include "every_schedule.hpp"

#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace timetable_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

static_assert(timetable<modular<>> && timetable<program> && timetable<table> && !timetable<int>);
static_assert(closed_form<modular<>> && !closed_form<program> && !closed_form<table>);

namespace {

/// One IPU that does everything at once, written without anything of the library but its words.
struct at_home {
  struct steps {
    placed now{{pass::forward, 0, 0}, 0, false};
    std::size_t left = 0;
    constexpr explicit operator bool() const { return left > 0; }
    constexpr const placed& operator*() const { return now; }
    constexpr const placed* operator->() const { return &now; }
    constexpr steps& operator++() {
      --left;
      if (now.kind == pass::backward) ++now.micro_batch;
      now.kind = now.kind == pass::forward ? pass::backward : pass::forward;
      ++now.step;
      return *this;
    }
  };
  grid where{1, 1, 3, layout::loop};
  mode run_for = mode::training;
  pace goes = pace::freely;
  schedule_fault refused{};
  constexpr steps walk(std::size_t) const { return {.left = 6}; }
};
static_assert(timetable<at_home>);
static_assert(accept<verify(at_home{})>());
static_assert(makespan(at_home{}) == 9);
static_assert(operations(at_home{}) == 6);

}  // namespace

TEST_CASE("the number of operations is that of the walks") {
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 8}, [](auto, const setup&, const auto& t) {
    std::size_t walked = 0;
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      for (auto w = t.walk(ipu); w; ++w) ++walked;
    }
    CHECK(operations(t) == walked);
  });
}

}  // namespace timetable_test
