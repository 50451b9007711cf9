// SPDX-License-Identifier: BSL-1.0
#include "stage_pipelines.hpp"
#include "tile_runner.hpp"

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/layers/pool.hpp>
#include <ipuflow/nn/lowerings/activation_lowering.hpp>
#include <ipuflow/nn/lowerings/batch_norm_lowering.hpp>
#include <ipuflow/nn/lowerings/conv2d_lowering.hpp>
#include <ipuflow/nn/lowerings/dropout_lowering.hpp>
#include <ipuflow/nn/lowerings/linear_lowering.hpp>
#include <ipuflow/nn/lowerings/loss_lowering.hpp>
#include <ipuflow/nn/lowerings/pool_lowering.hpp>

namespace tile_stage_test {

using namespace nn_test;

namespace {

template <class P>
void check_orders(const P& p, std::size_t samples) {
  for (const tile_order order :
       {tile_order{}, tile_order{.waits = true}, tile_order{.waits = true, .recomputes = true},
        tile_order{.waits = true, .splits = true}, tile_order{.waits = true, .recomputes = true, .splits = true}})
    check_pipeline(p, samples, order);
}

}  // namespace

TEST_CASE("Stages on tiles are the host's: outputs, gradients added up over micro-batches, running statistics") {
  check_orders(small, 5);
  check_pipeline(small, 1, {.waits = true});
}

TEST_CASE("So they are where values are read twice, kept for a later stage or taken by two branches") {
  check_orders(residual, 4);
  check_orders(branched, 3);
}

TEST_CASE("Halves stand in halves, and the numbers are the host's to about eleven bits") {
  constexpr auto coarse =
      pipeline(input<half, 1, 6, 6>, per_sample<"label", std::uint8_t>, stage(block<"A">(nn::conv2d<3, 3>, nn::relu)),
               stage(block<"B">(nn::flatten, nn::linear<5>, use<"label">(nn::cross_entropy))));
  check_pipeline(coarse, 5, {.waits = true}, 1e-2);
  tile_run<std::remove_const_t<decltype(coarse)>> t{5, 1, {}};
  CHECK(t.g[t.stages[1].entry[0]].type() == ipu::element_type::f16);
}

TEST_CASE("What waits is what backward reads; with recomputation it is what enters") {
  using P = std::remove_const_t<decltype(small)>;
  const auto elements = [](const tile_run<P>& t, std::size_t stage) {
    std::vector<std::size_t> made;
    for (const plan::carried& v : t.stages[stage].values) made.push_back(t.g[v.made].elements());
    return made;
  };
  const tile_run<P> keeps{5, 1, {.waits = true}}, again{5, 1, {.waits = true, .recomputes = true}};
  // the image, what the pool saw and made, what relu made
  CHECK(elements(keeps, 0) == std::vector<std::size_t>{5 * 64, 5 * 3 * 36, 5 * 3 * 9, 5 * 3 * 9});
  CHECK(elements(again, 0) == std::vector<std::size_t>{5 * 64});  // and not the label, which only passes through
  for (const plan::carried& v : keeps.stages[0].values) CHECK(v.made.index != v.read.index);
  const tile_run<P> at_once{5, 1, {}};
  for (const plan::carried& v : at_once.stages[0].values) CHECK(v.made.index == v.read.index);
  // B3 has dropout: the number of the micro-batch waits with the values
  CHECK(elements(again, 2) == std::vector<std::size_t>{5 * 4 * 2 * 2, 1});
}

TEST_CASE("Variables are called after block and layer") {
  const tile_run<std::remove_const_t<decltype(small)>> t{2, 1, {.waits = true}};
  const auto name = [&](ipu::variable_id v) { return std::string{t.g[v].name().view()}; };
  const plan::lowered& first = t.stages[0];
  CHECK(name(first.parameters[0].value) == "B1 conv2d weights");
  CHECK(name(first.parameters[1].value) == "B1 conv2d biases");
  CHECK(name(first.parameters[0].gradient) == "B1 conv2d weights gradient");
  CHECK(name(first.entry[0]) == "B1 entry 0");
  CHECK(name(first.values[1].read) == "B1 conv2d kept");
  CHECK(name(*first.exit_gradients[0]) == "B1 relu gradient");
  CHECK(name(t.stages[1].state[0].value) == "B2 batch_norm state");
}

TEST_CASE("Nothing is computed that nobody wants: the first stage has no gradient for images") {
  const tile_run<std::remove_const_t<decltype(small)>> t{2, 1, {}};
  CHECK_FALSE(t.stages[0].entry_gradients[0].has_value());
  CHECK(t.stages[1].entry_gradients[0].has_value());
  CHECK_FALSE(t.stages[3].entry_gradients[1].has_value());  // of labels
  CHECK_FALSE(t.stages[3].exit_gradients[0].has_value());   // of predictions
  CHECK(t.stages[3].exit_gradients[1].has_value());         // of the loss, which it fills itself
}

}  // namespace tile_stage_test
