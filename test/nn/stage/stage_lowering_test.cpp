// SPDX-License-Identifier: BSL-1.0
// A stage lowered from a table that was made by hand: no pipeline, no types. What it computes is tested in tile_stage_test.cpp.
#include <ipuflow/nn/stage/stage_lowering.hpp>

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/graph/repeat.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/lowerings/activation_lowering.hpp>
#include <ipuflow/nn/lowerings/linear_lowering.hpp>
#include <ipuflow/nn/stage/tile_stage.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <string_view>

namespace stage_lowering_test {

using namespace ipuflow;

namespace {

/// A layer that notes what it is asked for.
struct calls {
  std::size_t forward = 0, inputs = 0, weights = 0;
  std::size_t written = 0;  // gradients of inputs that it is told to write
};
calls made;

constexpr nn::impl::lowering_code noting{
    .forward = [](const nn::lowering& l, const nn::impl::step_values& v) -> ipu::step {
      ++made.forward;
      return ipu::copy_all(l.g, v.in[0], v.out[0]);
    },
    .backward_inputs = [](const nn::lowering& l, const nn::impl::step_values& v) -> ipu::step {
      ++made.inputs;
      made.written += v.d_in[0].wanted() ? 1u : 0u;
      return ipu::copy_all(l.g, v.d_out[0], v.d_in[0]);
    },
    .type = "noting_t"};

/// Slots 0 -> 1 -> 2 of eight real numbers.
struct chain {
  std::array<nn::slot_plan, 3> slots{};
  std::array<nn::impl::step_plan, 2> steps{};
  std::array<std::size_t, 1> leaving{2};
  std::array<const nn::impl::lowering_code*, 2> code{&noting, &noting};
  std::array<ipu::element_type, 3> types{ipu::element_type::f32, ipu::element_type::f32, ipu::element_type::f32};
  std::array<std::size_t, 3> arguments{nn::no_argument, nn::no_argument, nn::no_argument};
  std::array<std::string_view, 1> blocks{"only"};

  chain() {
    for (std::size_t i = 0; i < 3; ++i)
      slots[i] = {.elements = 8, .element_bytes = 4, .real = true, .root = i, .gradient_root = i, .has_gradient = true, .travels_back = i != 1};
    for (std::size_t i = 0; i < 2; ++i) {
      steps[i].in.push_back(i);
      steps[i].out.push_back(i + 1);
      steps[i].to.push_back(nn::impl::contribution::written);
      steps[i].computes_inputs = true;
    }
  }
  nn::impl::stage_on_tiles table() const {
    return {.plan = {.slots = slots, .steps = steps, .leaving = leaving, .entering = 1}, .code = code, .types = types, .arguments = arguments, .blocks = blocks};
  }
};

}  // namespace

TEST_CASE("each step is asked for its passes once, and each pass is a function") {
  const chain c;
  ipu::graph g(ipu::mk2);
  made = {};
  const plan::lowered stage = nn::impl::stage_lowering(g, c.table(), {.samples = 4}).take();
  CHECK(made.forward == 2);
  CHECK(made.inputs == 2);
  CHECK(made.written == 2);
  CHECK(g.functions().size() == 4);
  CHECK(g[stage.entry[0]].name().view() == "only entry");
  CHECK(g[stage.exit[0]].name().view() == "only noting");
  CHECK(g[stage.exit[0]].elements() == 32);
  CHECK(stage.entry_gradients[0].has_value());
}

TEST_CASE("each pass of a step is an operation of its name") {
  const chain c;
  ipu::graph g(ipu::mk2);
  (void)nn::impl::stage_lowering(g, c.table(), {.samples = 4}).take();
  REQUIRE(g.operations().size() == 4);
  CHECK(g.operations()[0].view() == "only noting forward");
  CHECK(g.operations()[3].view() == "only noting to inputs");
}

TEST_CASE("inference asks for no way back") {
  const chain c;
  ipu::graph g(ipu::mk2);
  made = {};
  const plan::lowered stage = nn::impl::stage_lowering(g, c.table(), {.samples = 4, .training = false}).take();
  CHECK(made.forward == 2);
  CHECK(made.inputs == 0);
  CHECK(g.functions().size() == 2);
  CHECK_FALSE(stage.entry_gradients[0].has_value());
}

TEST_CASE("equal layers between equal types have one code, whatever stage they stand on") {
  constexpr auto p = pipeline(input<float, 4>, stage(repeat<2>(block<"A">(nn::linear<4>, nn::relu))), stage(repeat<2>(block<"B">(nn::linear<4>, nn::relu))));
  using type = std::remove_const_t<decltype(p)>;
  const auto& first = nn::tile_stage<type, 0>::table.code;
  const auto& second = nn::tile_stage<type, 1>::table.code;
  REQUIRE(first.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(first[i] == first[i % 2]);
    CHECK(second[i] == first[i % 2]);
  }
  CHECK(first[0] != first[1]);
}

}  // namespace stage_lowering_test
