// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"

#include <ipuflow/nn/layers/copy.hpp>

namespace copy_test {

using namespace nn_test;

TEST_CASE("A copy is the identity, for labels too") {
  check_layer(nn::copy_t{}, tensor<float, 2, 3>{});
  owned<std::uint8_t, shape<>> from{3}, to{3};
  from.set(2, 0, 9);
  using label = std::uint8_t;
  forward(nn::copy_t{}, nn::forward_pass<float, nn::in<label>, nn::out<label>>{{from.read()}, {to.view()}});
  CHECK(to.get(2, 0) == 9);
}

}  // namespace copy_test
