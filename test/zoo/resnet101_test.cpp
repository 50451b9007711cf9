// SPDX-License-Identifier: BSL-1.0
// The deep residual networks, apart for the compile time. Expected values: torch_values.py.
#include "zoo_check.hpp"

#include <ipuflow/zoo/resnet.hpp>

namespace resnet101_test {

using namespace zoo_test;

namespace {

constexpr auto resnext101 = block_by_block<3, 32, 32>(zoo::resnext101<>);
static_assert(parameters_of(block_by_block<3, 32, 32>(zoo::resnet101<>)) == 44'549'160);
static_assert(parameters_of(resnext101) == 44'177'704);

}  // namespace

TEST_CASE("ResNeXt-101 gives PyTorch's values") {
  check_values(values_of_second_image(resnext101, 3),
               {-3.1077f, -3.59414f, 1.92328f, 1.5325f, 2.01358f,
                0.887777f, -1.7212f, 0.995232f, 0.388503f, 0.10022f});
}

}  // namespace resnet101_test
