// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/causes.hpp>

#include <ipuflow/report/runs/chips_timeline.hpp>
#include <ipuflow/report/runs/host_timeline.hpp>
#include <ipuflow/schedule/analysis/critical_path.hpp>
#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

#include "report/hand_made.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace causes_test {

using namespace ipuflow;
using report::impl::causes_of;
using report::impl::idle_reason;
using report::impl::no_slice;
using report::slice;
using report::slice_kind;

/// The least time of a timetable as slices.
template <class T>
report::timeline timed(const T& t, const schedule::costs& c) {
  report::timeline made{.in_cycles = true};
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) made.rows.push_back({.name = "IPU " + std::to_string(ipu)});
  schedule::for_each_timed(t, c, [&](std::size_t ipu, std::size_t, const schedule::placed& o, schedule::span_of_time span) {
    made.slices.push_back({.kind = report::kind_of(o.kind), .row = ipu, .stage = o.stage, .micro_batch = o.micro_batch, .run = 0, .start = span.start, .finish = span.finish});
    made.length = std::max<std::uint64_t>(made.length, span.finish);
  });
  report::arrange(made);
  return made;
}

/// The laws that hold for the causes of any complete run.
void check_laws(const report::timeline& t, const report::impl::run_causes& c) {
  for (std::size_t r = 0; r < t.rows.size(); ++r) {
    if (t.rows[r].host) continue;
    std::uint64_t sum = c.rows[r].at_work();
    for (const std::uint64_t i : c.rows[r].idle) sum += i;
    CHECK(sum == t.length);
  }
  std::uint64_t before = 0;
  for (const auto& i : c.idle) {
    CHECK(i.start >= before);
    before = i.start;
    CHECK(i.length > 0);
    for (const slice& s : t.slices) {
      if (s.row == i.row && s.start < s.finish) CHECK((s.finish <= i.start || s.start >= i.start + i.length));
    }
    if (i.cause != no_slice) {
      CHECK(t.slices[i.cause].row != i.row);
      CHECK((i.reason == idle_reason::arriving ? t.slices[i.cause].finish <= i.start : t.slices[i.cause].finish > i.start));
      CHECK(t.slices[i.cause].finish <= i.start + i.length);
    }
  }
  for (std::size_t n = 0; n < t.slices.size(); ++n) {
    if (c.made_by[n] == no_slice) continue;
    CHECK(t.slices[c.made_by[n]].finish <= t.slices[n].start);
    CHECK(t.slices[c.made_by[n]].micro_batch == t.slices[n].micro_batch);
  }
  REQUIRE(!c.critical.empty());
  CHECK(t.slices[c.critical.back()].finish == t.length);
  for (std::size_t i = 1; i < c.critical.size(); ++i) CHECK(t.slices[c.critical[i - 1]].finish <= t.slices[c.critical[i]].start);
}

TEST_CASE("two stages by hand: the second waits for the first, then the first for the second") {
  report::timeline t{.rows = {{.name = "IPU 0"}, {.name = "IPU 1"}}, .length = 70, .in_cycles = true};
  const auto add = [&](slice_kind kind, std::size_t row, std::size_t stage, std::uint64_t start, std::uint64_t finish) {
    t.slices.push_back({.kind = kind, .row = row, .stage = stage, .micro_batch = 0, .run = 0, .start = start, .finish = finish});
  };
  add(slice_kind::forward, 0, 0, 0, 10);
  add(slice_kind::forward, 1, 1, 12, 22);
  add(slice_kind::backward, 1, 1, 22, 40);
  add(slice_kind::backward, 0, 0, 45, 70);
  const auto c = causes_of(t, false);
  check_laws(t, c);
  REQUIRE(c.idle.size() == 5);
  const auto is = [&](std::size_t i, std::size_t row, std::uint64_t start, std::uint64_t length, idle_reason why, std::uint32_t cause) {
    CAPTURE(i);
    CHECK(c.idle[i].row == row);
    CHECK(c.idle[i].start == start);
    CHECK(c.idle[i].length == length);
    CHECK(c.idle[i].reason == why);
    CHECK(c.idle[i].cause == cause);
  };
  is(0, 1, 0, 10, idle_reason::message, 0);
  is(1, 0, 10, 30, idle_reason::message, 2);
  is(2, 1, 10, 2, idle_reason::arriving, 0);
  is(3, 0, 40, 5, idle_reason::arriving, 2);
  is(4, 1, 40, 30, idle_reason::no_work, no_slice);
  t.slices[1].start = 11;  // a tenth of its wait is no reason of its own
  CHECK(causes_of(t, false).idle[0].length == 11);
  CHECK(causes_of(t, false).idle[0].reason == idle_reason::message);
  CHECK(c.made_by == std::vector<std::uint32_t>{no_slice, 0, 1, 2});
  CHECK(c.critical == std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(c.rows[1].busy[static_cast<std::size_t>(slice_kind::backward)] == 18);
}

void check_schedule(const schedule::table& t, const schedule::costs& c) {
  const report::timeline made = timed(t, c);
  const auto found = causes_of(made, false);
  check_laws(made, found);
  if (t.goes == schedule::pace::in_turn) return;  // it waits for no message
  std::uint64_t at = 0, last = 0;
  for (const std::uint32_t n : found.critical) {
    CHECK(made.slices[n].start == at);  // no gap: each begins as the one before lets it
    at = made.slices[n].finish;
  }
  for (const auto& o : schedule::critical_path(t, c)) last = std::max<std::uint64_t>(last, o.span.finish);
  CHECK(at == last);
}

TEST_CASE("laws hold for every schedule, and the path is as long as the one that schedules have") {
  for (const std::string_view name : schedule::schedule_names) {
    CAPTURE(name);
    schedule::with_schedule(std::string(name), {.ipus = 4, .micro_batches = 8}, [&](const auto& t) {
      if (!t.refused) check_schedule(schedule::tabulate(t), {3, 2, 4, 0});
    });
  }
}

TEST_CASE("where messages take time, nothing but them and the passes that they come from keeps an IPU idle") {
  for (const std::string_view name : {std::string_view{"1f1b"}, std::string_view{"zbv"}, std::string_view{"interleaved_1f1b"}}) {
    CAPTURE(name);
    schedule::with_schedule(std::string(name), {.ipus = 4, .micro_batches = 8}, [&](const auto& t) {
      const report::timeline made = timed(schedule::tabulate(t), {3, 2, 4, 1});
      const auto found = causes_of(made, false);
      check_laws(made, found);
      for (const auto& row : found.rows) CHECK(row.idle[static_cast<std::size_t>(idle_reason::between)] == 0);
    });
  }
}

TEST_CASE("a thread of two IPUs is busy with the other one; runs have time between them") {
  const auto t = schedule::tabulate(schedule::one_f_one_b({.ipus = 4, .micro_batches = 6}));
  const report::timeline once = report::timeline_of(hand_made::on_host(t, 2));
  const auto c = causes_of(once, false);
  check_laws(once, c);
  std::size_t between = 0, messages = 0;
  for (const auto& i : c.idle) {
    between += i.reason == idle_reason::between_runs ? 1 : 0;
    messages += i.reason == idle_reason::message ? 1 : 0;
  }
  CHECK(between == 4);  // of each IPU
  CHECK(messages > 0);
  // Two operations of one thread, of which the second could have begun at once
  report::timeline shared{.rows = {{.name = "IPU 0"}, {.name = "IPU 1"}}, .length = 30};
  shared.slices = {{.row = 0, .stage = 0, .micro_batch = 0, .run = 0, .thread = 0, .start = 0, .finish = 10},
                   {.row = 0, .stage = 0, .micro_batch = 1, .run = 0, .thread = 0, .start = 10, .finish = 20},
                   {.row = 1, .stage = 1, .micro_batch = 0, .run = 0, .thread = 0, .start = 20, .finish = 25},
                   {.row = 1, .stage = 1, .micro_batch = 1, .run = 0, .thread = 0, .start = 26, .finish = 30}};
  const auto s = causes_of(shared, false);
  check_laws(shared, s);
  CHECK(s.idle[0].reason == idle_reason::message);  // it waits for micro-batch 0 longer than for the thread
  CHECK(s.idle.back().reason == idle_reason::between);
  shared.slices[2].micro_batch = schedule::nowhere;  // reads nothing that is known
  CHECK(causes_of(shared, false).idle[0].reason == idle_reason::thread);
  CHECK(causes_of(shared, false).idle[0].cause == 1);
}

TEST_CASE("on chips that end steps together the slowest of a step is the cause") {
  const auto t = schedule::grouped({.ipus = 4, .micro_batches = 16});
  const report::timeline made = report::timeline_of(hand_made::on_chips(t));
  const auto c = causes_of(made, true);
  check_laws(made, c);
  std::size_t steps = 0;
  for (const auto& i : c.idle) {
    if (i.reason != idle_reason::step) continue;
    ++steps;
    CHECK(made.slices[i.cause].finish == i.start + i.length);  // the exchange begins as the slowest ends
  }
  CHECK(steps > 0);
  std::uint64_t at = 0;
  for (const std::uint32_t n : c.critical) {
    CHECK(made.slices[n].start == at);
    at = made.slices[n].finish;
  }
}

TEST_CASE("copies of a pipeline wait for their own rows") {
  report::timeline t{.rows = {{.name = "a0"}, {.name = "a1"}, {.name = "b0"}, {.name = "b1"}}, .length = 50};
  t.slices = {{.row = 0, .stage = 0, .micro_batch = 0, .run = 0, .start = 0, .finish = 10},
              {.row = 2, .stage = 0, .micro_batch = 0, .run = 0, .start = 0, .finish = 30},
              {.row = 1, .stage = 1, .micro_batch = 0, .run = 0, .start = 10, .finish = 20},
              {.row = 3, .stage = 1, .micro_batch = 0, .run = 0, .start = 30, .finish = 50}};
  const auto c = causes_of(t, false);
  check_laws(t, c);
  CHECK(c.made_by == std::vector<std::uint32_t>{no_slice, no_slice, 0, 1});
}

TEST_CASE("micro-batches with numbers that are none of a pipeline have no makers, and take no memory") {
  report::timeline t{.rows = {{.name = "a"}}, .length = 10};
  t.slices = {{.row = 0, .stage = 5, .micro_batch = std::size_t{1} << 40, .run = 0, .start = 0, .finish = 10}};
  CHECK(causes_of(t, false).made_by == std::vector<std::uint32_t>{no_slice});
}

}  // namespace causes_test
