// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/stage/common_slots.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <vector>

namespace common_slots_test {

using namespace ipuflow;
using slots = std::vector<std::size_t>;

namespace {

/// Slots 0 -> 1 -> ... -> 6, a step between each two of them: two steps in each of three segments. The last one leaves.
struct chain {
  std::array<nn::slot_plan, 7> slots{};
  std::array<nn::impl::step_plan, 6> steps{};
  std::array<std::size_t, 1> leaving{6};

  chain() {
    for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = {.elements = 8, .root = i, .gradient_root = i};
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i].in.push_back(i), steps[i].out.push_back(i + 1), steps[i].segment = i / 2;
  }
  nn::plan_view plan() const { return {.slots = slots, .steps = steps, .leaving = leaving, .entering = 1, .segments = 3}; }
};

const auto always = [](std::size_t, std::size_t) { return true; };

}  // namespace

TEST_CASE("slots within a segment have the place of those in the first, and what goes from one to the next has its own") {
  const chain c;
  const nn::impl::common_slots made = nn::impl::common_slots_of(c.plan(), always);
  CHECK(made.value == slots{0, 1, 2, 1, 4, 1, 6});
  CHECK(made.gradient == slots{0, 1, 2, 1, 4, 1, 6});
}

TEST_CASE("a slot that stands otherwise, or is read in another segment, has a place of its own") {
  chain c;
  CHECK(nn::impl::common_slots_of(c.plan(), [](std::size_t, std::size_t b) { return b != 3; }).value == slots{0, 1, 2, 3, 4, 1, 6});
  c.steps[5].in.push_back(3);
  CHECK(nn::impl::common_slots_of(c.plan(), always).value == slots{0, 1, 2, 3, 4, 1, 6});
}

TEST_CASE("a view is where its root is: read elsewhere, the root has a place of its own") {
  chain c;
  c.slots[4].root = c.slots[4].gradient_root = 3;  // seen in another shape, by the next segment
  const nn::impl::common_slots made = nn::impl::common_slots_of(c.plan(), always);
  CHECK(made.value == slots{0, 1, 2, 3, 4, 1, 6});
  CHECK(made.gradient == slots{0, 1, 2, 3, 4, 1, 6});
}

TEST_CASE("the outputs of a step have a place each, in each segment") {
  chain c;
  c.steps[0].out.push_back(2);
  c.steps[2].out.push_back(4);
  c.steps[1].in = {}, c.steps[1].in.push_back(1);
  c.steps[2].in = {}, c.steps[3].out = {}, c.steps[4].in = {}, c.steps[1].out = {};
  CHECK(nn::impl::common_slots_of(c.plan(), always).value == slots{0, 1, 2, 1, 2, 1, 6});
}

TEST_CASE("one segment shares nothing with itself") {
  chain c;
  for (nn::impl::step_plan& s : c.steps) s.segment = 0;
  nn::plan_view plan = c.plan();
  plan.segments = 1;
  CHECK(nn::impl::common_slots_of(plan, always).value == slots{0, 1, 2, 3, 4, 5, 6});
}

}  // namespace common_slots_test
