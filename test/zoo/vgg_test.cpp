// SPDX-License-Identifier: BSL-1.0
// Expected values: torch_values.py.
#include "zoo_check.hpp"

#include <ipuflow/zoo/vgg.hpp>

namespace vgg_test {

using namespace zoo_test;

namespace {

constexpr auto small = block_by_block<3, 32, 32>(zoo::vgg16<>);
static_assert(parameters_of(block_by_block<3, 224, 224>(zoo::vgg16<>)) == 138'357'544);
static_assert(parameters_of(small) == 138'357'544 - (49 - 1) * 512 * 4096, "the classifier sees one pixel");

}  // namespace

TEST_CASE("VGG-16 gives PyTorch's values") {
  check_values(values_of_second_image(small, 6.5),
               {0.21269f, 1.35103f, -1.23972f, -0.142481f, -0.124068f,
                -2.30957f, -1.42361f, 1.36545f, 1.86415f, 2.17558f});
}

}  // namespace vgg_test
