// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/stage/stage_plan.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace stage_plan_test {

using namespace ipuflow;
using nn::area;
using nn::impl::contribution;

namespace {

constexpr nn::impl::step_plan step(nn::layer_facts facts, nn::impl::slot_list in, std::size_t out) {
  nn::impl::step_plan made;
  made.facts = facts;
  made.in = in;
  made.out = {{out}, 1};
  return made;
}

/// x -> a (weights) -> b -> sum of a and b: a's gradient comes from two sides.
constexpr auto diamond = [] {
  nn::impl::stage_plan<4, 3> plan;
  for (std::size_t i = 0; i < 4; ++i) {
    nn::slot_plan slot;
    slot.elements = 1;
    slot.element_bytes = 4;
    slot.real = true;
    slot.root = slot.gradient_root = i;
    plan.slots.push_back(slot);
  }
  plan.steps.push_back(
      step({.parameters = 5, .forward_work = 7, .weight_work = 7, .inputs_need_input = false}, {{0}, 1}, 1));
  plan.steps.push_back(step({.inputs_need_input = false, .inputs_need_output = true}, {{1}, 1}, 2));
  plan.steps.push_back(step({.inputs_need_input = false}, {{1, 2}, 2}, 3));
  plan.entering = 1;
  plan.leaving = {{3}, 1};
  nn::impl::plan_forward(plan);
  nn::impl::plan_backward(plan);
  nn::impl::plan_memory(plan);
  return plan;
}();

static_assert(diamond.parameters == 5 && diamond.forward_work == 7 && diamond.weight_work == 7);
static_assert(!diamond.slots[0].has_gradient && diamond.slots[1].has_gradient && diamond.slots[3].has_gradient);

}  // namespace

TEST_CASE("Against the order of the steps, who comes first writes a gradient and who follows adds") {
  CHECK(diamond.steps[2].to[0] == contribution::written);
  CHECK(diamond.steps[2].to[1] == contribution::written);
  CHECK(diamond.steps[1].to[0] == contribution::added);
  CHECK(diamond.steps[0].to[0] == contribution::none);
  CHECK(!diamond.steps[0].computes_inputs);
}

TEST_CASE("A slot lasts as long as a backward pass reads it") {
  CHECK(diamond.slots[0].where == area::entry);
  CHECK(diamond.slots[0].needed_by_weights);
  CHECK(diamond.slots[1].where == area::passing);
  CHECK(diamond.slots[1].gradient_where == area::kept);
  CHECK(diamond.slots[2].where == area::kept);
  CHECK(diamond.slots[2].gradient_where == area::passing);
  CHECK(diamond.slots[3].where == area::exit);
  CHECK(diamond.needed_by_inputs(area::kept));
  CHECK(!diamond.needed_by_weights(area::kept));
  CHECK(diamond.needed_by_weights(area::entry));
  CHECK(!diamond.needed_by_inputs(area::entry));
  CHECK(diamond.gradient_needed_by_weights(area::kept));
  CHECK(!diamond.gradient_needed_by_weights(area::exit));
}

TEST_CASE("A gradient that nobody writes is cleared") {
  auto plan = diamond;
  plan.leaving.clear();
  for (nn::impl::step_plan& each : plan.steps) each.to.clear();
  plan.slots[0].has_gradient = true;
  nn::impl::plan_backward(plan);
  CHECK(plan.slots[3].cleared);
  CHECK(!plan.slots[2].cleared);
  CHECK(!plan.slots[0].never_written);
}

}  // namespace stage_plan_test
