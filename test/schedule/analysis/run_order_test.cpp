// SPDX-License-Identifier: BSL-1.0
// Everything that can be wrong with an order is found, with its place.
#include "every_schedule.hpp"

#include <ipuflow/schedule/analysis/run_order.hpp>
#include <ipuflow/schedule/lowering/channels.hpp>
#include <ipuflow/schedule/lowering/csv.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>

namespace run_order_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;
using enum schedule_wrong;

namespace {

/// The rows of a text as a timetable of known size.
table rows(const char* text, const grid& where, mode run_for = mode::training) {
  table t{where, run_for};
  const action_rows read = read_actions(text);
  for (std::size_t ipu = 0; ipu < read.size(); ++ipu) {
    for (const action& a : read[ipu]) {
      t.rows[ipu].push_back({{pass_of(a.kind), a.stage, a.micro_batch}, a.step, a.with_next});
    }
  }
  return t;
}

constexpr grid two{2, 2, 2, layout::loop};  // two IPUs, two stages, two micro-batches
constexpr grid four{2, 4, 1, layout::loop};

schedule_fault found(const char* text, const grid& where = two) { return verify(rows(text, where)); }

schedule_fault at(schedule_wrong kind, place where, std::size_t got = 0, std::size_t limit = 0) {
  return {kind, got, limit, where};
}

}  // namespace

TEST_CASE("a correct order, whole and split, is accepted") {
  CHECK_FALSE(found("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1"));
  CHECK_FALSE(found("0F0,0F1,0I0,0W0,0B1\n1F0,1I0,1F1,1B1,1W0"));
  CHECK_FALSE(found("0F0,1F0,1B0,0B0", {1, 2, 1, layout::loop}));
}

TEST_CASE("the thirteen malformed schedules that other validators know or let through") {
  // 1. a published table starts the last IPU at the second micro-batch and ends it one too far
  CHECK(found("0F0,0F1,0B0,0B1\n1F1,1B0,1F2,1B1") == at(missing_op, {1, nowhere, 1, 0, pass::forward}));
  CHECK(found("0F0,0F1,0B0,0B1\n1F1,1B1,1F2,1B2").kind == micro_batch_out_of_range);
  // 2. a forward twice  3. a backward twice
  CHECK(found("0F0,0F1,0F0,0B0,0B1\n1F0,1B0,1F1,1B1") == at(repeated_op, {0, 2, 0, 0, pass::forward}));
  CHECK(found("0F0,0F1,0B0,0B1,0B0\n1F0,1B0,1F1,1B1") == at(repeated_op, {0, 4, 0, 0, pass::backward}));
  // 4. a micro-batch out of range
  CHECK(found("0F0,0F1,0F2,0B0,0B1\n1F0,1B0,1F1,1B1") ==
        at(micro_batch_out_of_range, {0, 2, 0, 2, pass::forward}, 2, 2));
  // 5. whole and split backwards of one micro-batch, hiding that another one is missing
  CHECK(found("0F0,0F1,0B0,0I0,0W0\n1F0,1B0,1F1,1B1") == at(mixed_backwards, {0, 3, 0, 0, pass::backward_inputs}));
  // 6. messages in a compute-only order
  table read;
  CHECK(parse_csv("0F0,0SEND_F0,0B0\n1F0,1B0", read).kind == csv_wrong::message_in_compute);
  // 7. text behind an action
  CHECK(parse_csv("0F0xyz,0B0\n1F0,1B0", read).kind == csv_wrong::trailing_text);
  // 8. IPUs that wait for each other
  CHECK(found("0F0,3F0,2F0\n1F0", four).kind == wrong_ipu);
  CHECK(found("0F0,2F0,0B0,2B0\n1F0,3F0,3B0,1B0", four) == at(deadlock, {0, 2, 0, 0, pass::backward}, 1));
  // 9. backwards in another order on one IPU stop the others where they read them
  CHECK(verify_channels(rows("0F0,0F1,0B0,0B1\n1F0,1F1,1B1,1B0", two), 1) ==
        at(channel_order, {0, 4, 0, 0, pass::backward_inputs}, 1, 1));
  // 10. a stage out of range
  CHECK(found("0F0,0F1,0B0,0B1,2F0\n1F0,1B0,1F1,1B1") == at(stage_out_of_range, {0, 4, 2, 0, pass::forward}, 2, 2));
  // 11. gradients for inputs without those for weights
  CHECK(found("0F0,0F1,0I0,0W0,0I1\n1F0,1B0,1F1,1B1") == at(missing_op, {0, nowhere, 0, 1, pass::backward_weights}));
  // 12. a stage on another IPU than its own
  CHECK(found("0F0,0F1,0B0,0B1\n1F0,1B0,0F1,1B1") == at(wrong_ipu, {1, 2, 0, 1, pass::forward}, 1, 0));
  // 13. a send that waits for its receive
  CHECK(verify_channels(one_f_one_b({.ipus = 4, .micro_batches = 8}), 0).kind == channel_deadlock);
  CHECK_FALSE(verify_channels(one_f_one_b({.ipus = 4, .micro_batches = 8}), 1));
}

TEST_CASE("twenty more") {
  const grid where = two;
  // 1.-4. missing: a forward that others wait for, the last forward, a backward others wait for, all of a row
  CHECK(found("0F0,0B0,0B1\n1F0,1B0,1F1,1B1") == at(missing_op, {0, nowhere, 0, 1, pass::forward}));
  CHECK(found("0F0,0F1,0B0,0B1\n1F0,1B0") == at(missing_op, {1, nowhere, 1, 1, pass::backward}));
  CHECK(found("0F0,0F1,0B0,0B1\n1F0,1F1,1B1") == at(missing_op, {1, nowhere, 1, 0, pass::backward}));
  CHECK(found("0F0,0F1,0B0,0B1\n,") == at(missing_op, {1, nowhere, 1, 0, pass::backward}));
  CHECK(verify(rows(",\n1F0", {2, 2, 1, layout::loop}, mode::inference)).where.stage == 0);
  // 5.-7. in the wrong order on one IPU
  CHECK(found("0B0,0F0,0F1,0B1\n1F0,1B0,1F1,1B1") == at(backward_first, {0, 0, 0, 0, pass::backward}));
  CHECK(found("0F0,0F1,0B0,0B1\n1F0,1W0,1I0,1F1,1B1") == at(weights_first, {1, 1, 1, 0, pass::backward_weights}));
  CHECK(found("0F0,0F1,0B0,0B1\n1I0,1F0,1W0,1F1,1B1") == at(backward_first, {1, 0, 1, 0, pass::backward_inputs}));
  // 8.-11. mixed: W beside B, B beside W, B beside I, I twice
  CHECK(found("0F0,0F1,0B0,0W0,0B1\n1F0,1B0,1F1,1B1").kind == mixed_backwards);
  CHECK(found("0F0,0F1,0I0,0W0,0B0\n1F0,1B0,1F1,1B1") == at(mixed_backwards, {0, 4, 0, 0, pass::backward}));
  CHECK(found("0F0,0F1,0I0,0B0,0B1\n1F0,1B0,1F1,1B1").kind == mixed_backwards);
  CHECK(found("0F0,0F1,0I0,0I0,0B1\n1F0,1B0,1F1,1B1") == at(repeated_op, {0, 3, 0, 0, pass::backward_inputs}));
  // 12. W twice  13. a backward in inference
  CHECK(found("0F0,0F1,0I0,0W0,0W0\n1F0,1B0,1F1,1B1").kind == repeated_op);
  CHECK(verify(rows("0F0,0B0,0F1\n1F0,1F1", where, mode::inference)) ==
        at(backward_in_inference, {0, 1, 0, 0, pass::backward}));
  // 14. a cycle over three IPUs  15. two that run together and need each other
  CHECK(found("0F0,0B0,3F0,3B0\n1F0,1B0,4F0,4B0\n2F0,2B0,5F0,5B0", {3, 6, 1, layout::loop}).kind == deadlock);
  CHECK(found("(0F0;0B0)OVERLAP_F_B,0F1,0B1\n1F0,1B0,1F1,1B1").kind == backward_first);
  CHECK(found("0F0,(0F1;0B0)OVERLAP_F_B,0B1\n1F0,1F1,1B0,1B1").kind == deadlock);
  // 16.-18. in steps: two at once, read in the step in which it is made, read before
  table t = rows("0F0,0B0\n1F0,1B0", {2, 2, 1, layout::loop});
  t.goes = pace::in_step;
  t.rows[0][1].step = 3;
  t.rows[1][0].step = 1;
  t.rows[1][1].step = 2;
  CHECK_FALSE(verify(t));
  t.rows[0][1].step = 2;
  CHECK(verify(t) == at(not_ready, {0, 1, 0, 0, pass::backward}, 2, 3));
  t.rows[0][1].step = 0;
  CHECK(verify(t) == at(two_at_once, {0, 1, 0, 0, pass::backward}, 0, 0));
  t.rows[0][1].step = 3;
  t.rows[1][0].step = 0;
  CHECK(verify(t) == at(not_ready, {1, 0, 1, 0, pass::forward}, 0, 1));
  // 19. recomputation and updates out of their place
  table r{where, mode::training};
  for (const op& o :
       {op{pass::forward, 0, 0}, op{pass::forward, 0, 1}, op{pass::backward, 0, 0}, op{pass::recompute, 0, 0}}) {
    r.rows[0].push_back({o, 0, false});
  }
  for (const op& o : {op{pass::forward, 1, 0}, op{pass::backward, 1, 0}, op{pass::update, 1, 0}, op{pass::forward, 1, 1},
                      op{pass::backward, 1, 1}}) {
    r.rows[1].push_back({o, 0, false});
  }
  CHECK(verify(r) == at(update_first, {1, 2, 1, 0, pass::update}));
  for (int i = 0; i < 3; ++i) r.rows[1].pop_back();
  CHECK(verify(r) == at(recomputed_first, {0, 3, 0, 0, pass::recompute}));
  // 19b. recomputed for one micro-batch of a stage, and not for the other
  for (const auto& [stage, other] : {std::pair<std::size_t, std::size_t>{0, 1}, {1, 0}}) {
    table partly = tabulate(gpipe({.ipus = 2, .micro_batches = 2}));
    dynamic_array<placed> row;
    for (const placed& o : partly.rows[stage]) {
      if (o.kind == pass::backward && o.micro_batch == 1 - other) row.push_back({{pass::recompute, stage, o.micro_batch}, o.step, false});
      row.push_back(o);
    }
    partly.rows[stage] = row;
    CHECK(verify(partly) == at(recomputed_partly, {stage, nowhere, stage, other, pass::recompute}));
  }
  // 20. not one of two concurrent branches
  const auto both = grouped(devices(0, on_ipus(1, 2)), micro_batches<4>);
  table one_branch = tabulate(both);
  CHECK_FALSE(verify(one_branch));
  one_branch.rows[2] = {};
  CHECK(verify(one_branch) == at(missing_op, {2, nowhere, 1, 0, pass::backward}));
}

TEST_CASE("two that run together are two, of one step, of which neither needs the other") {
  const auto pair_of = [](const op& first, const op& second) {
    table t{grid{1, 1, 1, layout::loop}, mode::training};
    t.rows[0].push_back({first, 0, true});
    t.rows[0].push_back({second, 0, false});
    return t;
  };
  const auto behind_forward = [](const op& first, const op& second) {
    table t{grid{1, 1, 1, layout::loop}, mode::training};
    t.rows[0].push_back({{pass::forward, 0, 0}, 0, false});
    t.rows[0].push_back({first, 1, true});
    t.rows[0].push_back({second, 1, false});
    return t;
  };
  using enum pass;
  CHECK(verify(pair_of({forward, 0, 0}, {forward, 0, 0})) == at(repeated_op, {0, 1, 0, 0, forward}));
  CHECK(verify(pair_of({infeed, 0, 0}, {forward, 0, 0})) == at(no_pair, {0, 1, 0, 0, forward}));
  CHECK(verify(behind_forward({backward, 0, 0}, {backward, 0, 0})) == at(repeated_op, {0, 2, 0, 0, backward}));
  CHECK(verify(behind_forward({backward, 0, 0}, {backward_inputs, 0, 0})) ==
        at(mixed_backwards, {0, 2, 0, 0, backward_inputs}));
  CHECK(verify(behind_forward({backward_inputs, 0, 0}, {backward, 0, 0})) == at(mixed_backwards, {0, 2, 0, 0, backward}));
  CHECK(verify(behind_forward({recompute, 0, 0}, {backward, 0, 0})) == at(no_pair, {0, 2, 0, 0, backward}));
  CHECK_FALSE(verify(behind_forward({backward, 0, 0}, {outfeed, 0, 0})));
  CHECK_FALSE(verify(behind_forward({outfeed, 0, 0}, {backward, 0, 0})));

  CHECK_FALSE(found("0F0,(0F1;0B0)OVERLAP_F_B,0B1", {1, 1, 2, layout::loop}));
  table t = rows("0F0,(0F1;0B0)OVERLAP_F_B,0B1", {1, 1, 2, layout::loop});
  t.rows[0][2].with_next = true;  // a third
  CHECK(verify(t) == at(no_pair, {0, 2, 0, 0, backward}));
  t.rows[0][2].with_next = false;
  t.rows[0][3].with_next = true;  // with nothing
  CHECK(verify(t) == at(no_pair, {0, 3, 0, 1, backward}));
  t.rows[0][3].with_next = false;
  t.goes = pace::in_step;
  CHECK_FALSE(verify(t));
  t.rows[0][2].step = 2, t.rows[0][3].step = 3;  // in two steps
  CHECK(verify(t) == at(no_pair, {0, 2, 0, 0, backward}));
}

TEST_CASE("where steps are times, those of an IPU rise") {
  table t = rows("0F0,0F1,0B0,0B1", {1, 1, 2, layout::loop});
  t.goes = pace::in_step;
  CHECK_FALSE(verify(t));
  t.rows[0][0].step = 9;  // its backward would come first
  CHECK(verify(t) == at(falling_step, {0, 1, 0, 1, pass::forward}, 1, 9));
  t.goes = pace::freely;
  CHECK_FALSE(verify(t));
}

TEST_CASE("a stage is updated once, whatever the micro-batch of its update") {
  for (const bool pair : {false, true}) {
    table t = rows("0F0,0F1,0B0,0B1", {1, 1, 2, layout::loop});
    t.rows[0].push_back({{pass::update, 0, 1}, 4, pair});
    if (!pair) CHECK_FALSE(verify(t));
    t.rows[0].push_back({{pass::update, 0, 0}, 4, false});
    CHECK(verify(t) == at(repeated_op, {0, 5, 0, 0, pass::update}));
  }
}

TEST_CASE("an update that comes last waits for a backward that is missing") {
  table t{grid{1, 1, 2, layout::loop}, mode::training};
  using enum pass;
  for (const op& o : {op{forward, 0, 0}, op{backward_inputs, 0, 0}, op{backward_weights, 0, 0}, op{forward, 0, 1},
                      op{update, 0, 1}}) {
    t.rows[0].push_back({o, t.rows[0].size(), false});
  }
  CHECK(verify(t) == at(missing_op, {0, nowhere, 0, 1, backward}));
  t.rows[0][4] = {{backward_inputs, 0, 1}, 4, false};
  t.rows[0].push_back({{update, 0, 1}, 5, false});
  CHECK(verify(t) == at(missing_op, {0, nowhere, 0, 1, backward_weights}));
  t.rows[0].push_back({{backward_weights, 0, 1}, 6, false});
  CHECK(verify(t) == at(update_first, {0, 5, 0, 1, update}));
}

TEST_CASE("every schedule runs to its end, and without any one of its operations it does not") {
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 8}, [](auto, const setup&, const auto& t) {
    table whole = tabulate(t);
    REQUIRE_FALSE(verify(whole));
    const std::size_t ipu = whole.where.micro_batches % whole.where.ipus;
    for (std::size_t left_out = 0; left_out < whole.rows[ipu].size(); ++left_out) {
      table lacking = whole;
      lacking.rows[ipu] = {};
      for (std::size_t i = 0; i < whole.rows[ipu].size(); ++i) {
        if (i != left_out) lacking.rows[ipu].push_back(whole.rows[ipu][i]);
      }
      if (left_out > 0) lacking.rows[ipu][left_out - 1].with_next = false;
      CHECK(verify(lacking));
    }
  });
}

TEST_CASE("without any one swap across what it reads it stops") {
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 6}, [](auto, const setup&, const auto& t) {
    table whole = tabulate(t);
    for (std::size_t ipu = 0; ipu < whole.where.ipus; ++ipu) {
      for (std::size_t i = 0; i + 1 < whole.rows[ipu].size(); ++i) {
        const placed first = whole.rows[ipu][i], second = whole.rows[ipu][i + 1];
        if (first.stage != second.stage || first.micro_batch != second.micro_batch) continue;
        table swapped = whole;
        swapped.rows[ipu][i] = second;
        swapped.rows[ipu][i + 1] = first;
        CHECK(verify(swapped));
      }
    }
  });
}

}  // namespace run_order_test
