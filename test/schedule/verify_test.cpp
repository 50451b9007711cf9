// SPDX-License-Identifier: BSL-1.0
// The cheap verification of each form finds what running all of it finds.
#include "every_schedule.hpp"

#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace verify_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

static_assert(accept<verify(dualpipev({.ipus = 4, .micro_batches = 1'000'000}))>());
static_assert(accept<verify(from_function(grid{1, 1, 2}, 4, [](std::size_t, std::size_t step) {
  struct maybe {
    op what;
    constexpr explicit operator bool() const { return true; }
    constexpr op operator*() const { return what; }
  };
  return maybe{{step % 2 == 0 ? pass::forward : pass::backward, 0, step / 2}};
}))>());

TEST_CASE("every schedule of every size is accepted by both") {
  every::schedule({}, [](auto, const setup&, const auto& t) {
    CHECK_FALSE(verify(t));
    CHECK_FALSE(verify_order(t));
  });
}

TEST_CASE("a program that is wrong is wrong when reduced, and the reverse") {
  static std::size_t skew = 0;
  const phases_of skewed = [](const grid& where, std::size_t ipu) {
    phase_list phases = zbv({.ipus = where.ipus, .micro_batches = where.micro_batches}).phases(where, ipu);
    if (ipu == skew % where.ipus && phases[skew / where.ipus].times > 0) --phases[skew / where.ipus].times;
    return phases;
  };
  for (std::size_t ipus = 1; ipus <= 4; ++ipus) {
    for (skew = 0; skew < 9 * ipus; ++skew) {
      for (const std::size_t count : {20u, 31u, 64u}) {
        program t = zbv({.ipus = ipus, .micro_batches = count});
        t.phases = skewed;
        CHECK(static_cast<bool>(verify(t)) == static_cast<bool>(verify_order(t)));
      }
    }
  }
}

TEST_CASE("a schedule that was refused says so and runs nothing") {
  const auto t = grouped({.ipus = 4, .micro_batches = 9});
  CHECK(verify(t) == t.refused);
  CHECK(operations(t) == 0);
  const auto p = dualpipe({.ipus = 4, .micro_batches = 2});
  CHECK(verify(p) == p.refused);
  CHECK(operations(p) == 0);
  CHECK(verify(v_half({.ipus = 4})) == schedule_fault{schedule_wrong::no_micro_batches, 0, 1});
  CHECK_THROWS_AS(throw_if(verify(t)), error);
}

TEST_CASE("a table of one's own that lacks a row, or has one too many, is refused before it is read") {
  table t = tabulate(one_f_one_b({.ipus = 2, .micro_batches = 2}));
  dynamic_array<dynamic_array<placed>> rows = t.rows;
  rows.pop_back();
  t.rows = rows;
  CHECK_THROWS_WITH_AS(throw_if(verify(t)), "ipuflow: a table has 1 row for 2 IPUs; give each IPU a row, which may be empty", rejected<schedule_fault>);
  t.rows = {};
  CHECK(verify(t) == schedule_fault{schedule_wrong::other_rows, 0, 2});
}

TEST_CASE("a table of sizes that no schedule has is refused before operations are counted") {
  const table right = tabulate(one_f_one_b({.ipus = 2, .micro_batches = 2}));
  for (const std::size_t count : {most_micro_batches + 1, std::size_t{1} << 62, static_cast<std::size_t>(-1)}) {
    table t = right;
    t.where.micro_batches = count;
    CHECK(verify(t) == schedule_fault{schedule_wrong::too_many_micro_batches, count, most_micro_batches});
    t.where.stages = count;
    CHECK(verify(t) == schedule_fault{schedule_wrong::too_many_stages, count, most_stages});
  }
  table none{right.where, mode::training};
  none.where.micro_batches = 0;
  CHECK(verify(none) == schedule_fault{schedule_wrong::no_micro_batches, 0, 1});
}

TEST_CASE("a table without stages is no schedule: a search that was refused has such a one") {
  const schedule_fault none{schedule_wrong::no_stages, 0, 1};
  CHECK(verify(table{}) == none);
  CHECK(verify(tabulate(table{})) == none);
  CHECK_THROWS_WITH_AS(throw_if(verify(table{})), "ipuflow: a schedule is asked for without stages; give at least one IPU and one stage on it",
                       rejected<schedule_fault>);
}

}  // namespace verify_test
