// SPDX-License-Identifier: BSL-1.0
// What arithmetic says about a closed form is what running all of it says, for right and for wrong ones.
#include "every_schedule.hpp"

#include <ipuflow/schedule/analysis/run_order.hpp>
#include <ipuflow/schedule/analysis/verify_closed.hpp>

#include <doctest/doctest.h>

namespace verify_closed_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

/// The same as a table whose steps are rules: one operation a step where the closed form says so.
template <class Where>
schedule_fault by_running(const modular<Where>& t) {
  table all{t.where, t.run_for};
  all.goes = pace::in_step;
  all.alone = t.alone;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    for (auto w = t.walk(ipu); w; ++w) all.rows[ipu].push_back(*w);
  }
  return verify_order(all);
}

static_assert(gcd(12, 18) == 6 && gcd(-12, 18) == 6 && gcd(12, -18) == 6 && gcd(-12, -18) == 6);
static_assert(gcd(0, -7) == 7 && gcd(-7, 0) == 7 && gcd(0, 0) == 0);

}  // namespace

TEST_CASE("every closed form is right, by arithmetic and by running it") {
  std::size_t forms = 0;
  every::schedule({}, [&](auto, const setup&, const auto& t) {
    if constexpr (requires { verify_closed(t); }) {
      CHECK_FALSE(verify_closed(t));
      CHECK_FALSE(by_running(t));
      ++forms;
    }
  });
  CHECK(forms > 5000);
}

TEST_CASE("with any coefficient changed, both agree") {
  std::size_t wrong = 0, right = 0;
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 8}, [&](auto, const setup&, const auto& t) {
    if constexpr (requires { verify_closed(t); }) {
      for (std::size_t k = 0; k < pass_count; ++k) {
        if (t.parts[0].of[k].runs == who::none || t.parts[0].of[k].at < 8) continue;
        for (const step_number change : {-7, -3, -2, -1, 1, 2, 3, 5}) {
          auto changed = t;
          changed.parts[0].of[k].at += change;
          if (changed.parts[0].of[k].at - 8 < 0 && t.parts[0].of[k].per_group < 0) continue;  // steps begin at 0
          const bool found = static_cast<bool>(verify_closed(changed));
          CHECK(found == static_cast<bool>(by_running(changed)));
          ++(found ? wrong : right);
          changed = t;
          changed.parts[0].of[k].per_stage += change % 2;
          if (changed.parts[0].of[k].base(t.where.stages - 1, t.span) < 8) continue;
          CHECK(static_cast<bool>(verify_closed(changed)) == static_cast<bool>(by_running(changed)));
        }
      }
    }
  });
  CHECK(wrong > 1000);
  CHECK(right > 100);
}

TEST_CASE("passes at distances of their own meet where running them says so") {
  std::size_t wrong = 0, right = 0;
  for (const step_number forward : {1, 2, 3, 4, 6}) {
    for (const step_number backward : {1, 2, 3, 4, 6}) {
      for (step_number at = 1; at < 14; ++at) {
        auto t = one_f_one_b({.ipus = 1, .micro_batches = 5});
        t.parts[0][pass::forward] = {.runs = who::everyone, .at = 0, .per_group = forward};
        t.parts[0][pass::backward] = {.runs = who::everyone, .at = at, .per_group = backward};
        const bool found = static_cast<bool>(verify_closed(t));
        CHECK(found == static_cast<bool>(by_running(t)));
        ++(found ? wrong : right);
      }
    }
  }
  CHECK(wrong > 100);
  CHECK(right > 50);
}

TEST_CASE("two parts at equal distances are compared operation by operation: they need not be equally long") {
  std::size_t wrong = 0, right = 0;
  for (const std::size_t later : {0u, 1u}) {  // the part that is moved back
    for (const std::size_t first : {1u, 2u, 5u}) {
      for (step_number at = 0; at < 30; ++at) {
        auto t = one_f_one_b({.ipus = 1, .micro_batches = 6});
        t.part_count = 2;
        t.parts[1] = t.parts[0];
        t.parts[0].assign(0, first, 1);
        t.parts[1].assign(first, 6 - first, 1);
        for (part& p : t.parts) {
          p[pass::forward] = {.runs = who::everyone, .at = 0, .per_group = 4};
          p[pass::backward] = {.runs = who::everyone, .at = 2, .per_group = 4};
        }
        t.parts[later][pass::forward].at += at;
        t.parts[later][pass::backward].at += at;
        const bool found = static_cast<bool>(verify_closed(t));
        CHECK(found == static_cast<bool>(by_running(t)));
        ++(found ? wrong : right);
      }
    }
  }
  CHECK(wrong > 10);
  CHECK(right > 10);
}

TEST_CASE("passes that are missing, too many or not of this mode") {
  using enum schedule_wrong;
  auto t = one_f_one_b({.ipus = 2, .micro_batches = 4});
  const line backward = t.parts[0][pass::backward];
  t.parts[0][pass::backward] = {};
  CHECK(verify_closed(t) == schedule_fault{.kind = missing_op, .where = {0, nowhere, 0, 0, pass::backward}});
  t.parts[0][pass::backward_inputs] = backward;
  CHECK(verify_closed(t) == schedule_fault{.kind = missing_op, .where = {0, nowhere, 0, 0, pass::backward_weights}});
  t.parts[0][pass::backward_weights] = backward;
  CHECK(verify_closed(t).kind == weights_first);
  t.parts[0][pass::backward] = backward;
  CHECK(verify_closed(t).kind == mixed_backwards);
  t.run_for = mode::inference;
  CHECK(verify_closed(t).kind == backward_in_inference);
  t.parts[0][pass::forward] = {};
  CHECK(verify_closed(t).kind == missing_op);
}

TEST_CASE("micro-batches that are in no part, in both or behind the last, and a part that alone recomputes") {
  using enum schedule_wrong;
  const auto halves = [] {
    auto t = one_f_one_b({.ipus = 1, .micro_batches = 6});
    t.part_count = 2;
    t.parts[1] = t.parts[0];
    for (std::size_t i = 0; i < 2; ++i) {
      t.parts[i].assign(3 * i, 3, 1);
      t.parts[i][pass::forward] = {.runs = who::everyone, .at = number(20 * i), .per_group = 4};
      t.parts[i][pass::backward] = {.runs = who::everyone, .at = number(20 * i + 2), .per_group = 4};
    }
    return t;
  };
  const auto both = [](const auto& t) {
    const schedule_fault ran = by_running(t);
    schedule_fault found = verify_closed(t);
    found.where.index = ran.where.index;  // a closed form has none
    CHECK(found == ran);
    return found.kind;
  };
  CHECK(both(halves()) == schedule_wrong{});
  auto t = halves();
  t.parts[1].micro_batches = 2;
  CHECK(both(t) == missing_op);
  t.parts[1].assign(2, 4, 1);
  CHECK(both(t) == repeated_op);
  t.parts[1].assign(3, 4, 1);
  CHECK(both(t) == micro_batch_out_of_range);
  t.part_count = 1;
  CHECK(both(t) == missing_op);
  for (std::size_t i = 0; i < 2; ++i) {
    t = halves();
    t.parts[i][pass::recompute] = {.runs = who::everyone, .at = number(20 * i + 1), .per_group = 4};
    CHECK(both(t) == recomputed_partly);
  }
  t.parts[0][pass::recompute] = {.runs = who::everyone, .at = 1, .per_group = 4};
  CHECK(both(t) == schedule_wrong{});
  t.run_for = mode::inference;
  for (part& p : t.parts) p[pass::backward] = {};
  CHECK(both(t) == backward_in_inference);
  t = halves();
  t.parts[1].group = 0;
  CHECK(verify_closed(t).kind == missing_op);
}

TEST_CASE("an update is once a stage, behind the last backward") {
  auto t = one_f_one_b({.ipus = 1, .micro_batches = 1});
  t.parts[0][pass::backward].at = 2;
  t.parts[0][pass::update] = {.runs = who::everyone, .at = 1, .per_group = 1};
  CHECK(verify_closed(t).kind == schedule_wrong::update_first);
  CHECK(by_running(t).kind == schedule_wrong::update_first);
  t.parts[0][pass::update].at = 3;
  CHECK_FALSE(verify_closed(t));
  CHECK_FALSE(by_running(t));
  auto two = one_f_one_b({.ipus = 1, .micro_batches = 2});
  two.parts[0][pass::update] = {.runs = who::everyone, .at = 9, .per_group = 1};
  CHECK(verify_closed(two).kind == schedule_wrong::repeated_op);
  CHECK(by_running(two).kind == schedule_wrong::repeated_op);
}

TEST_CASE("a pass that meets itself or falls, and halves of backwards in some stages alone") {
  using enum schedule_wrong;
  const auto both = [](const auto& t) {
    CHECK(static_cast<bool>(verify_closed(t)) == static_cast<bool>(by_running(t)));
    return verify_closed(t).kind;
  };
  auto t = one_f_one_b({.ipus = 1, .micro_batches = 4});
  t.parts[0][pass::forward] = {.runs = who::everyone, .at = 0, .per_group = 0};
  t.parts[0][pass::backward] = {.runs = who::everyone, .at = 1, .per_group = 1};
  CHECK(both(t) == two_at_once);
  t.parts[0].group = 2;
  t.parts[0][pass::forward] = {.runs = who::everyone, .at = 0, .per_member = 4, .per_group = 3};
  t.parts[0][pass::backward] = {.runs = who::everyone, .at = 10, .per_member = 1, .per_group = 2};
  CHECK(both(t) == falling_step);
  t.parts[0].group = 4;
  t.where.micro_batches = t.parts[0].micro_batches = 3;  // fewer than a group
  t.parts[0][pass::forward] = {.runs = who::everyone, .at = 1, .per_member = 3, .per_group = 3};
  t.parts[0][pass::backward] = {.runs = who::everyone, .at = 7, .per_member = 3, .per_group = 3};
  CHECK(both(t) == two_at_once);
  t.parts[0][pass::backward].at = 2;
  CHECK(both(t) == schedule_wrong{});
  t.parts[0][pass::backward].at = 0;
  t.parts[0][pass::backward_inputs] = {.runs = who::all_but_last};  // of no stage here
  CHECK(both(t) == backward_first);
  auto odd = chimera({.ipus = 2, .micro_batches = 4});
  odd.where.micro_batches = 5;
  CHECK(both(odd) == missing_op);
  t = one_f_one_b({.ipus = 1, .micro_batches = 4});
  t.parts[1] = t.parts[0];
  t.part_count = 2;
  t.parts[1].first = 6;  // behind the last
  CHECK(verify_closed(t).kind == micro_batch_out_of_range);
}

TEST_CASE("the place of a fault") {
  auto t = one_f_one_b({.ipus = 4, .micro_batches = 1'000'000});
  t.parts[0][pass::forward].per_group = 1;  // forwards catch up with each other
  CHECK(verify_closed(t) ==
        schedule_fault{schedule_wrong::two_at_once, 0, 1, {0, nowhere, 0, nowhere, pass::backward}});
  t = one_f_one_b({.ipus = 4, .micro_batches = 1'000'000});
  t.parts[0][pass::backward].per_group = 1;  // backwards overtake forwards in the end
  CHECK(verify_closed(t) ==
        schedule_fault{schedule_wrong::backward_first, 1'000'005, 1'999'997, {0, nowhere, 0, 999'998, pass::backward}});
}

}  // namespace verify_closed_test
