// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/stage/step_kernels.hpp>

#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/nn/stage/stage_program.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace step_kernels_test {

using namespace ipuflow;

namespace {

constexpr auto one = pipeline(input<float, 8>, per_sample<"goal", tensor<float, 8>>,
                              stage(block<"a">(nn::linear<8>, nn::tanh)).ipu<0>(),
                              stage(block<"b">(nn::linear<8>, nn::tanh, use<"goal">(nn::mean_squared_error))).ipu<1>());
constexpr auto other = pipeline(input<float, 8>, stage(block<"a">(nn::flatten, nn::linear<8>, nn::tanh)).ipu<0>(),
                                stage(block<"b">(nn::relu)).ipu<1>());
using one_type = std::remove_const_t<decltype(one)>;
using other_type = std::remove_const_t<decltype(other)>;

}  // namespace

TEST_CASE("The same layer between the same types is the same code, in every stage and every pipeline") {
  const auto& a = nn::code_of<one_type, 0, float>.steps;
  const auto& b = nn::code_of<one_type, 1, float>.steps;
  const auto& c = nn::code_of<other_type, 0, float>.steps;
  CHECK((a[0].forward == b[0].forward));
  CHECK((a[0].forward == c[1].forward));
  CHECK((a[0].backward_weights == c[1].backward_weights));
  CHECK((a[1].backward_inputs == b[1].backward_inputs));
  CHECK((a[0].forward != a[1].forward));
}

TEST_CASE("A step has the kernels that something will ask for, and no others") {
  const auto& first = nn::code_of<one_type, 0, float>.steps;
  CHECK((first[0].backward_inputs == nullptr));  // nobody wants the gradient of what enters the pipeline
  CHECK((first[0].backward_weights != nullptr));
  CHECK((first[1].backward_weights == nullptr));  // tanh has no weights
  CHECK((nn::code_of<other_type, 0, float>.steps[0].forward == nullptr));  // a flattened value is the same memory
  for (const auto& step : nn::code_of<one_type, 1, float, nn::every_branch, false>.steps) {
    CHECK((step.forward != nullptr));
    CHECK((step.backward_inputs == nullptr));
    CHECK((step.backward_weights == nullptr));
  }
}

}  // namespace step_kernels_test
