// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/stage/panel_bridge.hpp>

#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include "tile_runner.hpp"

#include <doctest/doctest.h>

namespace panel_bridge_test {

using namespace ipuflow;

// The sum reads what enters the stage, row by row, and what the product has made, in panels; so do its gradients.
TEST_CASE("a layer that reads rows and panels finds both in panels, and gradients go back to rows") {
  constexpr auto network = pipeline(input<float, 5, 33>, per_sample<"y", tensor<float, 5, 33>>,
      stage(block<"in">(nn::linear<33>)),
      stage(block<"one">(keep<"x">, nn::linear<33>, use<"x">(nn::add), nn::linear<33>), block<"two">(use<"y">(nn::mean_squared_error))));
  nn_test::check_pipeline(network, 3, {});
  nn_test::check_pipeline(network, 3, {.waits = true, .recomputes = true});
}

// What leaves the stage is the sum, in rows, which no backward pass reads: recomputation does not make it again.
TEST_CASE("values that a pass does not read are not looked for") {
  constexpr auto network = pipeline(input<float, 9, 24>, per_sample<"y", tensor<float, 9, 24>>,
      stage(block<"one">(keep<"q">, nn::linear<40>, nn::relu, nn::linear<24>, use<"q">(nn::add))),
      stage(block<"two">(nn::linear<24>, use<"y">(nn::mean_squared_error))));
  for (const std::size_t samples : {std::size_t{1}, std::size_t{3}})
    nn_test::check_pipeline(network, samples, {.waits = true, .recomputes = true});
}

}  // namespace panel_bridge_test
