// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/stage/stage_variables.hpp>

#include <array>

namespace stage_variables_test {

using namespace nn_test;

namespace {

/// Slots 0 -> 1 -> 2, then a loss: 2 seen again as 3, and 4, the loss. Step 0 needs what enters for its weights, step 1
/// its output; the loss reads 2. What leaves is 3 and 4.
struct chain {
  std::array<nn::slot_plan, 5> slots{};
  std::array<nn::impl::step_plan, 3> steps{};
  std::array<std::size_t, 2> leaving{3, 4};
  std::array<nn::impl::slot_kind, 5> kinds{};

  chain() {
    for (std::size_t i = 0; i < 5; ++i) {
      slots[i] = {.elements = 8 + i, .real = true, .root = i, .gradient_root = i, .has_gradient = true};
      kinds[i].name = ipu::name_from("slot");
      kinds[i].name += i;
    }
    slots[3].root = 2;
    slots[0].needed_by_weights = slots[2].needed_by_inputs = true;
    slots[1].gradient_needed_by_weights = true;
    slots[0].travels_back = slots[3].travels_back = slots[4].travels_back = true;
    steps[0] = {.facts = {.parameters = 1}, .in = {{0}, 1}, .out = {{1}, 1}, .to = {{nn::impl::contribution::written}, 1}};
    steps[1] = {.facts = {}, .in = {{1}, 1}, .out = {{2}, 1}, .to = {{nn::impl::contribution::written}, 1}};
    steps[2] = {
        .facts = {.same_memory = true}, .in = {{2}, 1}, .out = {{3, 4}, 2}, .to = {{nn::impl::contribution::written}, 1}};
    nn::impl::plan_again(*this);
  }
  nn::impl::tile_plan view() const { return nn::impl::tile_plan{{.slots = slots, .steps = steps, .leaving = leaving, .entering = 1}}; }
};

}  // namespace

TEST_CASE("A gradient is where someone reads it; the predictions of a loss have none") {
  const chain c;
  const nn::impl::tile_plan v = c.view();
  for (const std::size_t slot : {0u, 1u, 2u, 4u}) CHECK(v.reads_gradient(slot));
  CHECK_FALSE(v.reads_gradient(3));
  for (const std::size_t slot : {0u, 1u, 2u, 3u, 4u}) CHECK(v.writes_gradient(slot));
}

TEST_CASE("Only those layers run again whose values a backward pass reads, directly or through others") {
  chain c;
  const auto found = [&] {
    std::vector<bool> flags;
    for (const nn::impl::step_plan& step : c.steps) flags.push_back(step.runs_again);
    for (const nn::slot_plan& slot : c.slots) flags.push_back(slot.needed_again);
    return flags;
  };
  CHECK(found() == std::vector<bool>{true, true, false, true, true, true, false, false});
  for (nn::impl::step_plan& step : c.steps) step.runs_again = false;
  c.slots[2].needed_by_inputs = false;
  nn::impl::plan_again(c);
  CHECK(found() == std::vector<bool>{false, false, false, true, false, false, false, false});
}

TEST_CASE("What waits has two variables, what does not has one; roots are followed") {
  const chain c;
  for (const bool values_wait : {false, true}) {
    for (const bool slopes_wait : {false, true}) {
      ipu::graph g{few_tiles()};
      plan::lowered made;
      const plan::lowering_options o{.samples = 3, .values_wait = values_wait, .slopes_wait = slopes_wait};
      const nn::impl::stage_variables v{g, o, c.view(), c.kinds, made};
      CHECK(made.values.size() == 2);
      CHECK((v[0].value.index != v[0].again.index) == values_wait);
      CHECK((v[2].value.index != v[2].again.index) == values_wait);
      CHECK(v[1].value.index == v[1].again.index);
      CHECK(v[3].value.index == v[2].value.index);
      CHECK(made.slopes.size() == 1);
      CHECK((v[1].gradient.index != v[1].remembered.index) == slopes_wait);
      CHECK(g[v[1].value].elements() == 3 * 9);
      CHECK(made.exit[0].index == v[2].value.index);
      CHECK_FALSE(made.exit_gradients[0].has_value());
      CHECK(made.exit_gradients[1].has_value());
      CHECK(made.entry_gradients[0].has_value());
    }
  }
}

TEST_CASE("With recomputation what enters waits, and all else is written apart from what is on its way") {
  const chain c;
  ipu::graph g{few_tiles()};
  plan::lowered made;
  const plan::lowering_options o{.samples = 3, .recomputes = true, .values_wait = true};
  const nn::impl::stage_variables v{g, o, c.view(), c.kinds, made};
  CHECK(made.values.size() == 1);
  CHECK(made.values[0].made.index == v[0].value.index);
  for (const std::size_t slot : {0u, 1u, 2u, 4u}) CHECK(v[slot].value.index != v[slot].again.index);
}

TEST_CASE("A stage that is only used has no gradients") {
  const chain c;
  ipu::graph g{few_tiles()};
  plan::lowered made;
  const plan::lowering_options o{.training = false};
  const nn::impl::stage_variables v{g, o, c.view(), c.kinds, made};
  CHECK(made.values.empty());
  CHECK_FALSE(v[0].has_gradient);
  CHECK(g.variables().size() == 4);
}

}  // namespace stage_variables_test
