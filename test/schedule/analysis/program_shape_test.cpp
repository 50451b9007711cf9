// SPDX-License-Identifier: BSL-1.0
// Warm-ups, steady states, loops and programs have the published lengths and the lengths that one counts.
#include "every_schedule.hpp"
#include "reference_orders.hpp"

#include <ipuflow/core/per_stage.hpp>
#include <ipuflow/schedule/analysis/program_shape.hpp>

#include <doctest/doctest.h>

namespace program_shape_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

static_assert(program_of(grouped({.ipus = 2, .micro_batches = 8})).steps() == 12);
static_assert(program_of(grouped({.ipus = 3, .micro_batches = 6})).steps() == 12);
static_assert(program_of(grouped({.ipus = 4, .micro_batches = 16})).steps() == 24);
static_assert(program_of(interleaved({.ipus = 2, .micro_batches = 8})).steps() == 20);
static_assert(program_of(interleaved({.ipus = 4, .micro_batches = 16})).steps() == 40);
static_assert(program_of(interleaved({.ipus = 4, .micro_batches = 16})) == step_program{8, 8, 3, 8});
static_assert(program_of(grouped({.ipus = 3, .micro_batches = 6, .run_for = mode::inference})).steps() == 9);
static_assert(warm_up(one_f_one_b({.ipus = 4, .micro_batches = 8})) == per_stage(4, 3, 2, 1));

TEST_CASE("first and last fully busy steps") {
  for (std::size_t stages = 2; stages <= 8; ++stages) {
    const std::size_t count = 4 * stages;
    const setup asked{.ipus = stages, .micro_batches = count};
    CHECK(steady_state(grouped(asked)) == steady{2 * stages - 1, count - 1});
    CHECK(steady_state(interleaved(asked)) == steady{2 * stages - 2, 2 * count - 1});
    const setup forward{.ipus = stages, .micro_batches = count, .run_for = mode::inference};
    CHECK(steady_state(grouped(forward)) == steady{stages - 1, count - 1});
    CHECK(steady_state(sequential(asked)) == steady{});
  }
}

TEST_CASE("steady states by arithmetic are those of the table") {
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 12}, [](auto, const setup&, const auto& t) {
    if constexpr (requires { t.parts; }) {
      if (t.goes != pace::freely) CHECK(steady_state(t) == steady_state(tabulate(t)));
    }
  });
}

TEST_CASE("ramp-up, rounds of the body and ramp-down are the whole order, and rounds are alike") {
  every::schedule({.ipus = 5, .chunks = 3, .micro_batches = 24}, [](auto, const setup&, const auto& t) {
    if constexpr (requires { loop_of(t, 0); }) {
      for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
        const loop l = loop_of(t, ipu);
        const reference::order all = reference::order_of(t, ipu);
        CHECK(l.ramp_up + l.body * l.repeats + l.ramp_down == all.size());
        for (std::size_t i = l.ramp_up; l.repeats > 0 && i + l.body < l.ramp_up + l.body * l.repeats; ++i) {
          CHECK(all[i].kind == all[i + l.body].kind);
          CHECK(all[i].stage == all[i + l.body].stage);
        }
      }
      for (const std::size_t past : {t.where.ipus, t.where.ipus + 4, nowhere}) CHECK(loop_of(t, past) == loop{});
    }
  });
  CHECK(loop_of(one_f_one_b({.ipus = 4, .micro_batches = 8}), 0) == loop{3, 2, 5, 3});
  CHECK(loop_of(one_f_one_b({.ipus = 4, .micro_batches = 1'000'000}), 0).code() == 8);
}

TEST_CASE("fewer micro-batches than a round have no round") {
  const step_program shape = program_of(one_f_one_b({.ipus = 4, .micro_batches = 2}));
  CHECK(shape.repeats == 0);
  CHECK(shape.steps() == 16);
}

TEST_CASE("the steady state that pictures show") {
  CHECK(drawn_steady_state(tabulate(grouped({.ipus = 4, .micro_batches = 16}))) == steady{7, 15});
  CHECK(drawn_steady_state(tabulate(one_f_one_b({.ipus = 4, .micro_batches = 8}))) == steady{7, 14});
  CHECK(drawn_steady_state(tabulate(gpipe({.ipus = 4, .micro_batches = 8}))) == steady{});
  CHECK(drawn_steady_state(tabulate(schedule::inference({.ipus = 4, .micro_batches = 8}))) == steady{3, 7});
}

}  // namespace program_shape_test
