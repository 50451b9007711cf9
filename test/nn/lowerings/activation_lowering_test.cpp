// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/lowerings/activation_lowering.hpp>

namespace activation_lowering_test {

using namespace nn_test;

TEST_CASE_TEMPLATE("Activations on tiles are the host's, forward and back", Layer, nn::relu_t, nn::sigmoid_t,
                   nn::tanh_t, nn::gelu_t) {
  check_lowering(Layer{}, tensor<float, 11>{});
  check_lowering(Layer{}, tensor<float, 2, 5, 3>{});
}

}  // namespace activation_lowering_test
