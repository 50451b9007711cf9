// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/nn_fault.hpp>

#include <doctest/doctest.h>

namespace nn_fault_test {

using namespace ipuflow;

TEST_CASE("Every fault has its sentence") {
  const auto of_op = [](nn::nn_wrong kind) {
    const fixed_string<60> block{std::string_view{"B"}};
    const nn::nn_fault op{kind, 5, 4, {block, 2, type_text{std::string_view{"x"}}, fixed_string<160>{std::string_view{"f(x)"}}}};
    return message(op);
  };
  CHECK(of_op(nn::nn_wrong::not_a_layer).view() ==
        "ipuflow: op 2 of block 'B', x, is not a layer that can be trained; give it constexpr facts() and kernels, or "
        "run it as a callable");
  CHECK(of_op(nn::nn_wrong::layer_with_members).view() ==
        "ipuflow: op 2 of block 'B', x, is a layer with members, of which its kernels learn nothing; make them template "
        "arguments of its type");
  CHECK(of_op(nn::nn_wrong::no_kernel).view() ==
        "ipuflow: op 2 of block 'B', x, cannot be trained without f(x); write it in the namespace of the layer, or "
        "include the header that has it");
  CHECK(of_op(nn::nn_wrong::no_lowering).view() ==
        "ipuflow: op 2 of block 'B', x, cannot run on tiles without f(x); write it in the namespace of the layer, or "
        "include <ipuflow/chips.hpp> for those of nn");
  CHECK(of_op(nn::nn_wrong::never_initialised).view() ==
        "ipuflow: op 2 of block 'B', x, has 5 parameters and state that nothing sets; write initialise_layer(layer, "
        "type, seed, values, state)");
  CHECK(of_op(nn::nn_wrong::too_many_biases).view() ==
        "ipuflow: op 2 of block 'B', x, has 5 biases among 4 parameters; biases are the last of the parameters");
  CHECK(of_op(nn::nn_wrong::weight_extents_differ).view() ==
        "ipuflow: op 2 of block 'B', x, has 4 weights beside its biases but weight_extents of 5; these multiply to the number of "
        "its weights");
  CHECK(of_op(nn::nn_wrong::other_memory).view() ==
        "ipuflow: op 2 of block 'B', x, makes 5 elements in the memory of an input of 4; leave same_memory out of its "
        "facts");
  const nn::nn_fault label{nn::nn_wrong::label_too_large, 12, 10, {.op = 3}};
  CHECK(message(label).view() ==
        "ipuflow: sample 3 of a micro-batch has label 12 but the network has 10 classes; labels count from 0");
  CHECK(message(nn::nn_fault{nn::nn_wrong::no_deviation, 2}).view() ==
        "ipuflow: nn::normalise divides by the deviation of channel 2, which is no number from 1.2e-38 to 1.3e36; give it "
        "the deviation of the data");
  CHECK(message(nn::nn_fault{nn::nn_wrong::no_mean, 2}).view() ==
        "ipuflow: nn::normalise takes off the mean of channel 2, which divided by the deviation is no number that a float holds; "
        "give it the mean of the data");
  CHECK(message(nn::nn_fault{nn::nn_wrong::channels_differ, 3, 2}).view() ==
        "ipuflow: nn::normalise has 3 means and 2 deviations; give one of each for every channel, or one number for all");
  CHECK(message(nn::nn_fault{}).empty());
}

}  // namespace nn_fault_test
