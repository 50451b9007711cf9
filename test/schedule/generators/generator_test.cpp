// SPDX-License-Identifier: BSL-1.0
// A generator has a name and a rule, and writes lines for allowed sizes only.
#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/generators/generator.hpp>
#include <ipuflow/schedule/generators/gpipe.hpp>
#include <ipuflow/schedule/generators/inference.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>
#include <ipuflow/schedule/generators/phased.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace generator_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

namespace {

// begin: generator
constexpr auto slow = generator<"slow">({.stages_per_ipu = 1, .least_per_ipu = 2}, [](const grid& where) {
  auto t = lines_on(where);
  const step_number ipus = number(where.ipus);
  t[pass::forward] = {.runs = who::everyone, .at = 0, .per_stage = 2, .per_group = 4};
  t[pass::backward] = {.runs = who::everyone, .at = 4 * ipus - 2, .per_stage = -2, .per_group = 4};
  return t;
});
static_assert(accept<verify(slow({.ipus = 3, .micro_batches = 6}))>());
static_assert(slow({.ipus = 3, .micro_batches = 5}).refused.kind == schedule_wrong::too_few_micro_batches);
// end: generator

/// Called with no micro-batches it would divide by zero.
constexpr auto fragile = generator<"fragile">({}, [](const grid& where) {
  auto t = lines_on(where);
  t[pass::forward] = {.runs = who::everyone, .at = number(1 / where.micro_batches), .per_stage = 1, .per_group = 1};
  return t;
});
static_assert(fragile({.ipus = 3}).refused.kind == schedule_wrong::no_micro_batches);

struct line_of_three {
  static constexpr std::size_t stage_count = 3;
  static constexpr std::size_t ipu_of(std::size_t stage) { return stage; }
};
struct loop_of_four {
  static constexpr std::size_t stage_count = 4;
  static constexpr std::size_t ipu_of(std::size_t stage) { return stage % 2; }
};

static_assert(slow.name == "slow");
static_assert(slow.rule == allowed{.stages_per_ipu = 1, .least_per_ipu = 2});
static_assert(slow(line_of_three{}, micro_batches<6>) == slow({.ipus = 3, .micro_batches = 6}));
static_assert(slow(inference(line_of_three{}), micro_batches<6>).refused.kind == schedule_wrong::training_only);

}  // namespace

TEST_CASE("one stage an IPU, micro-batches one by one, no pass where sizes are refused") {
  const auto t = slow({.ipus = 3, .micro_batches = 5});
  CHECK(t.refused == schedule_fault{schedule_wrong::too_few_micro_batches, 5, 6});
  CHECK(t.where == grid{3, 3, 5});
  CHECK(t.count(1) == 0);
  CHECK(slow({.ipus = 3, .stages_per_ipu = 2, .micro_batches = 6}).refused.limit == 1);
  CHECK(slow({.ipus = 3}).refused.kind == schedule_wrong::no_micro_batches);
  CHECK(slow({}).refused.kind == schedule_wrong::no_stages);
  CHECK(slow({.ipus = 3, .micro_batches = 6}).span == 3);
}

TEST_CASE("a pipeline elsewhere than the rule puts its stages") {
  CHECK(slow(loop_of_four{}, micro_batches<8>).refused.kind == schedule_wrong::stages_per_ipu);
}

TEST_CASE("options are handed on, with numbers and with pipelines") {
  constexpr auto list = devices(0, 1, 0, 1);
  constexpr phased_options far{.live = liveness::off_chip_after_each_phase};
  static_assert(phased(loop_of_four{}, micro_batches<4>) == phased(list, micro_batches<4>));
  static_assert(phased(inference(line_of_three{}), micro_batches<4>).run_for == mode::inference);
  CHECK(phased(loop_of_four{}, micro_batches<4>, far) == phased(list, micro_batches<4>, mode::training, far));
  CHECK(phased(list, micro_batches<4>, mode::training, far).step_of({pass::backward, 0, 3}) ==
        phased({2, 2, 4}, far).step_of({pass::backward, 0, 3}));
  CHECK_FALSE(verify(phased(loop_of_four{}, micro_batches<4>, {.parallel = true})));
  CHECK_FALSE(verify(phased(line_of_three{}, micro_batches<4>, {.parallel = true})));
  CHECK(phased(devices(0, 1, 1), micro_batches<4>, mode::training, {.parallel = true}).refused.kind ==
        schedule_wrong::phase_on_wrong_ipu);
}

TEST_CASE("micro-batches are a number of the program, too") {
  std::size_t six = 6;  // nothing that the compiler knows
  CHECK(slow(line_of_three{}, six) == slow(line_of_three{}, micro_batches<6>));
  CHECK(slow(line_of_three{}, six - 1).refused == schedule_fault{schedule_wrong::too_few_micro_batches, 5, 6});
  CHECK(phased(inference(line_of_three{}), six) == phased(inference(line_of_three{}), micro_batches<6>));
  CHECK(phased(devices(0, 1, 0), six) == phased(devices(0, 1, 0), micro_batches<6>));
  CHECK(schedule::inference(line_of_three{}, six) == schedule::inference(line_of_three{}, micro_batches<6>));
}

TEST_CASE("what the name stands for") {
  slow.by_name({.ipus = 2, .micro_batches = 4},
               [](const auto& t) { CHECK(t == slow({.ipus = 2, .micro_batches = 4})); });
}

namespace {

/// Stages on these IPUs, as a pipeline says it: where the compiler knows.
template <std::size_t... Ipu>
struct on {
  static constexpr std::size_t stage_count = sizeof...(Ipu);
  static constexpr std::size_t ipus[stage_count] = {Ipu...};
  static constexpr std::size_t ipu_of(std::size_t stage) { return ipus[stage]; }
  static constexpr bounded_vector<std::size_t, 1> ipus_of(std::size_t stage) { return {{ipus[stage]}, 1}; }
};

/// Whatever IPUs they are on, stages have the steps that they have on IPUs of their own, and keep as much.
template <class Placed, class Generator>
void is_the_same_elsewhere(const Generator& g) {
  constexpr std::size_t stages = Placed::stage_count;
  const auto here = g(Placed{}, micro_batches<10>);
  const auto apart = g({.ipus = stages, .micro_batches = 10});
  CHECK(message(here.refused).view() == "");
  CHECK(message(verify(here)).view() == "");
  CHECK(here.run_for == apart.run_for);
  CHECK(here.steps() == apart.steps());
  for (std::size_t stage = 0; stage < stages; ++stage) {
    for (std::size_t m = 0; m < 10; ++m) {
      CHECK(here.step_of({pass::forward, stage, m}) == apart.step_of({pass::forward, stage, m}));
    }
    CHECK(in_flight(here)[stage] == in_flight(apart)[stage]);
  }
}

}  // namespace

TEST_CASE("schedules whose lines know stages only take any placement") {
  const auto everywhere = [](const auto& g) {
    is_the_same_elsewhere<on<0, 0, 1>>(g);
    is_the_same_elsewhere<on<0, 1, 1, 2>>(g);
    is_the_same_elsewhere<on<0, 1, 0>>(g);
    is_the_same_elsewhere<on<2, 1, 0>>(g);
    is_the_same_elsewhere<on<0, 5>>(g);
  };
  everywhere(gpipe);
  everywhere(one_f_one_b);
  everywhere(eager_1f1b);
  everywhere(forwards_only);
  is_the_same_elsewhere<on<0, 0, 0>>(gpipe);
  is_the_same_elsewhere<on<0, 0, 0>>(one_f_one_b);
  // stages in turn, and for inference loops of them, stay what they were
  static_assert(gpipe(on<0, 1, 2>{}, micro_batches<6>) == gpipe({.ipus = 3, .micro_batches = 6}));
  static_assert(inference(on<0, 1, 0, 1>{}, micro_batches<6>) == inference({.ipus = 2, .stages_per_ipu = 2, .micro_batches = 6}));
  static_assert(gpipe(inference(on<0, 0>{}), micro_batches<6>).refused.kind == schedule_wrong::training_only);
  static_assert(gpipe(on<0, 0>{}, micro_batches<0>).refused.kind == schedule_wrong::no_micro_batches);
}

TEST_CASE("a schedule with places of its own says where they are, and which schedules take any") {
  CHECK(message(slow(on<0, 0>{}, micro_batches<6>).refused).view() ==
        "ipuflow: 2 stages per IPU do not fit this schedule; it has 1 on each");
  CHECK(message(slow(on<1, 0>{}, micro_batches<6>).refused).view() ==
        "ipuflow: this schedule has stage 0 on IPU 0, the pipeline on IPU 1; place it there, or take a schedule for any "
        "placement: grouped, sequential, gpipe, 1f1b, inference");
  CHECK(message(slow(on<0, 1, 0>{}, micro_batches<6>).refused).view() ==
        "ipuflow: this schedule has no stage 2 on these IPUs, one each or as many on each; place the stages so, or take a "
        "schedule for any placement: grouped, sequential, gpipe, 1f1b, inference");
}

}  // namespace generator_test
