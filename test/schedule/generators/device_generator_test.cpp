// SPDX-License-Identifier: BSL-1.0
// A generator on devices of any kind: rounds, shared IPUs, modes and options.
#include <ipuflow/schedule/generators/device_generator.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace device_generator_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

/// Forwards and backwards of GPipe in lock step, for one round of micro-batches or several.
constexpr auto in_rounds = generator<"in_rounds", recomputation>(
    allowed_on_devices{.training = fills::stages, .recomputes_only = recomputation::and_backpropagate},
    [](const auto& where, mode, recomputation asked) {
      auto t = lines_on(where);
      const step_number turn = number(where.micro_batches + 2 * where.stages) - 2;
      t[pass::forward] = {.runs = who::everyone, .at = 0, .per_stage = 1, .per_group = 1};
      t[pass::backward] = {.runs = who::everyone, .at = turn, .per_stage = -1, .per_group = 1};
      t.recompute = resolved(asked, recomputation::and_backpropagate);
      return t;
    });

struct line_of_three {
  static constexpr std::size_t stage_count = 3;
  static constexpr std::size_t ipu_of(std::size_t stage) { return stage; }
};

static_assert(in_rounds.name == "in_rounds" && in_rounds.rule.training == fills::stages);
static_assert(accept<verify(in_rounds({.ipus = 3, .micro_batches = 6}))>());
static_assert(in_rounds(line_of_three{}, micro_batches<6>) == in_rounds(devices(0, 1, 2), micro_batches<6>));
static_assert(in_rounds(inference(line_of_three{}), micro_batches<5>).run_for == mode::inference);

}  // namespace

TEST_CASE("a round is as many micro-batches as the rule says") {
  const auto three = devices(0, 1, 2);
  CHECK(round_of(fills::one, three) == 1);
  CHECK(round_of(fills::stages, three) == 3);
  CHECK(round_of(fills::slots, three) == 6);
  CHECK(round_of(fills::copies, overlapping(three)) == 3);
  CHECK(round_of(fills::copies, overlapping(devices(0, 1, 1, 0))) == 2);
  CHECK(round_of(fills::copies, grid{2, 4, 8}) == 2);
  CHECK(in_rounds(three, micro_batches<5>).refused == schedule_fault{schedule_wrong::not_a_multiple, 5, 6});
  CHECK_FALSE(in_rounds(three, micro_batches<5>, mode::inference).refused);
}

TEST_CASE("without IPUs, or without stages, nothing else is asked") {
  for (const grid& none : {grid{0, 4, 8}, grid{4, 0, 8}, grid{0, 0, 8}}) {
    const schedule_fault found = verify_on(none, mode::training, recomputation::none, allowed_on_devices{});
    CHECK(found == schedule_fault{schedule_wrong::no_stages, 0, 1});
  }
}

TEST_CASE("devices and recomputation") {
  using enum recomputation;
  CHECK(in_rounds({}).refused.kind == schedule_wrong::no_stages);
  CHECK(in_rounds(devices(0), micro_batches<5>).refused.kind == schedule_wrong::one_stage_only);
  CHECK(in_rounds(line_of_three{}, micro_batches<6>, automatic).recompute == and_backpropagate);
  CHECK(in_rounds(line_of_three{}, micro_batches<6>, then_backpropagate).refused.kind ==
        schedule_wrong::no_recomputation_before);
  CHECK_FALSE(in_rounds(devices(0, 1), micro_batches<6>, mode::inference, then_backpropagate).refused);
}

}  // namespace device_generator_test
