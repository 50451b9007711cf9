// SPDX-License-Identifier: BSL-1.0
// Times of a run are the least that break no rule, as relaxation finds them.
#include "every_schedule.hpp"
#include "reference_times.hpp"

#include <ipuflow/schedule/analysis/timeline.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>

#include <doctest/doctest.h>

namespace timeline_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

TEST_CASE("every operation of every schedule starts when relaxation says") {
  for (const costs& c :
       {costs{}, costs{.forward = 2, .backward_inputs = 3, .backward_weights = 1, .communication = 2}}) {
    every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 9}, [&](auto, const setup&, const auto& t) {
      if (t.goes == pace::in_turn) return;  // those do not start as early as they could
      std::vector<std::vector<span_of_time>> found(t.where.ipus);
      CHECK(for_each_timed(
          t, c, [&](std::size_t ipu, std::size_t, const placed&, span_of_time span) { found[ipu].push_back(span); }));
      std::vector<std::size_t> next(t.where.ipus);
      for (const auto& o : reference::relaxed_times(t, c)) {
        const span_of_time span = found[o.ipu][next[o.ipu]++];
        CHECK(span.start == o.start);
        CHECK(span.finish == o.start + o.time);
      }
    });
  }
}

TEST_CASE("one at a time in the whole system") {
  const auto t = sequential({.ipus = 3, .micro_batches = 2});
  std::size_t free_at = 0;
  for_each_timed(t, costs{.forward = 5, .communication = 9},
                 [&](std::size_t, std::size_t, const placed&, span_of_time span) {
                   CHECK(span.start >= free_at);
                   free_at = span.finish;
                 });
  CHECK(free_at == 2 * (3 * 5 + 3 * 2) + 2 * 4 * 9);
}

TEST_CASE("with updates, every IPU ends when analysis says, and none is told twice") {
  for (const costs& c : {costs{}, costs{.forward = 2, .communication = 1, .update = 5}}) {
    every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 9}, [&](auto, const setup&, const auto& t) {
      const times expected = times_of(t, c);
      std::vector<std::size_t> last(t.where.ipus), busy(t.where.ipus), next_step(t.where.ipus);
      CHECK(for_each_timed_and_updates(t, c, [&](std::size_t ipu, const placed& o, span_of_time span) {
        CHECK(span.start + (o.with_next ? 0 : c.of(o.kind, o.stage)) <= span.finish);
        if (o.kind == pass::update) CHECK((span.start >= last[ipu] && o.step >= next_step[ipu]));
        next_step[ipu] = o.step + 1;
        last[ipu] = span.finish;
        busy[ipu] += c.of(o.kind, o.stage);
      }));
      for (std::size_t i = 0; i < t.where.ipus; ++i) {
        CHECK(last[i] == expected.ipu[i].last);
        CHECK(busy[i] == expected.busy(i));
      }
    });
  }
  table own{grid{1, 1, 1}, mode::training};
  for (const pass kind : {pass::forward, pass::backward, pass::update}) own.rows[0].push_back({{kind, 0, 0}, own.rows[0].size(), false});
  std::size_t told = 0;
  for_each_timed_and_updates(own, costs{.update = 5}, [&](std::size_t, const placed& o, span_of_time) { told += o.kind == pass::update; });
  CHECK(told == 1);
}

TEST_CASE("an order that cannot be run says so") {
  table t{grid{2, 2, 1}, mode::training};
  t.rows[0].push_back({{pass::backward, 0, 0}, 0, false});
  CHECK_FALSE(for_each_timed(t, costs{}, [](auto...) {}));
}

TEST_CASE("two that run together start when both can") {
  for (const bool late_first : {false, true}) {  // the forward waits for a slow IPU, or the backward does
    table t{grid{2, 4, 2}, mode::inference};
    const op own{pass::forward, 0, 1}, away{pass::forward, 2, 0};
    t.rows[0].push_back({{pass::forward, 0, 0}, 0, false});
    t.rows[0].push_back({late_first ? away : own, 1, true});
    t.rows[0].push_back({late_first ? own : away, 1, false});
    t.rows[1].push_back({{pass::forward, 1, 0}, 1, false});
    for_each_timed(t, costs{.forward = 3}, [&](std::size_t ipu, std::size_t, const placed& o, span_of_time span) {
      if (ipu == 0 && o.step == 1) CHECK(span == span_of_time{6, 12});
    });
  }
}

}  // namespace timeline_test
