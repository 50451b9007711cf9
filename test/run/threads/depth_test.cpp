// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/threads/depth.hpp>

#include <doctest/doctest.h>

#include "streams.hpp"

#include <cstddef>

namespace depth_test {

using namespace ipuflow;

namespace {

/// Stage after stage over all micro-batches.
template <class P>
schedule::table stage_by_stage(const P& p, std::size_t micro_batches) {
  const auto where = streams::seats_of(p, micro_batches);
  schedule::table t{where, mode::inference};
  for (std::size_t seat = 0; seat < where.seats(); ++seat) {
    auto& row = t.rows[where.taken[seat].ipu];
    for (std::size_t m = 0; m < micro_batches; ++m) {
      row.push_back({{schedule::pass::forward, where.taken[seat].stage, m}, row.size(), false});
    }
  }
  return t;
}

template <class P>
run::impl::depth_answer counted(const P& p, const schedule::any_timetable& t) {
  return run::impl::depth_count{run::impl::places_of(p), t}.run();
}

}  // namespace

TEST_CASE("a chain of IPUs with one stage each needs room for one value") {
  const auto t = schedule::tabulate(schedule::inference(streams::line, micro_batches<50>));
  const run::impl::depth_answer found = counted(streams::line, t);
  CHECK(!found.wrong);
  CHECK(found.needed[1] == 1);
  CHECK(found.needed[2] == 1);
  CHECK(found.needed[3] == 1);
}

TEST_CASE("an IPU that finishes a stage before it turns to the next one needs room for nearly all, and then runs") {
  for (const std::size_t count : {1u, 5u, 100u}) {
    const auto t = stage_by_stage(streams::folded, count);
    const run::impl::depth_answer found = counted(streams::folded, t);
    CHECK(found.needed[2] + 1 >= count);
    CHECK(found.needed[2] <= count);
    const long items = static_cast<long>(count);
    CHECK(streams::outputs(streams::folded, t, items, {.threads = 2, .capacity = 1}) == streams::all_expected(streams::folded, items));
  }
}

TEST_CASE("micro-batches that do not ascend are named") {
  auto t = stage_by_stage(streams::line, 4);
  std::swap(t.rows[2][0], t.rows[2][3]);
  CHECK(counted(streams::line, t).wrong == run::run_fault{run::run_wrong::out_of_order, 3, 0, {2, 2}});
}

}  // namespace depth_test
