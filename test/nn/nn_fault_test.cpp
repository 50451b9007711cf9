// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/nn_fault.hpp>

#include <doctest/doctest.h>

namespace nn_fault_test {

using namespace ipuflow;

TEST_CASE("Every fault has its sentence") {
  const nn::nn_fault op{.kind = nn::nn_wrong::no_kernels,
                       .where = {fixed_string<60>{std::string_view{"B"}}, 2, type_text{"x"}}};
  CHECK(
      message(op).view() ==
      "ipuflow: op 2 of block 'B', x, is not a layer that can be trained; give it facts() and kernels, or run it as a "
      "callable");
  const nn::nn_fault label{nn::nn_wrong::label_too_large, 12, 10, {.op = 3}};
  CHECK(message(label).view() ==
        "ipuflow: sample 3 of a micro-batch has label 12 but there are 10 classes; labels count from 0");
  CHECK(message(nn::nn_fault{}).empty());
}

}  // namespace nn_fault_test
