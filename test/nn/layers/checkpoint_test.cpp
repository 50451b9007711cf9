// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/layers/checkpoint.hpp>

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/stage/plan_of_stage.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace checkpoint_test {

using namespace ipuflow;

namespace {

using image = tensor<half, 3, 4>;
static_assert(std::is_same_v<decltype(output_of(nn::checkpoint, image{})), image>);
static_assert(facts(nn::checkpoint, image{}).checkpoint && !facts(nn::relu, image{}).checkpoint);

constexpr auto with = single_stage(input<float, 4>, block<"all">(nn::linear<6>, nn::checkpoint, nn::relu));
constexpr auto without = single_stage(input<float, 4>, block<"all">(nn::linear<6>, nn::relu));
constexpr const auto& marked = nn::planned<decltype(with), 0, float>;
constexpr const auto& plain = nn::planned<decltype(without), 0, float>;

}  // namespace

TEST_CASE("A checkpoint is the value itself: no memory, no work, no parameters") {
  CHECK(marked.steps.size() == plain.steps.size() + 1);
  CHECK(marked.forward_work == plain.forward_work);
  CHECK(marked.parameters == plain.parameters);
  CHECK(marked.slots[2].root == marked.slots[1].root);
  CHECK(marked.slots[2].gradient_root == marked.slots[1].gradient_root);
  CHECK(marked.segments == plain.segments + 1);
}

}  // namespace checkpoint_test
