// SPDX-License-Identifier: BSL-1.0
// Expected values: torch_values.py.
#include "zoo_check.hpp"

#include <ipuflow/zoo/resnet.hpp>

#include <type_traits>

namespace resnet_test {

using namespace zoo_test;

namespace {

// Parameters do not depend on the size of images.
constexpr auto resnet18 = block_by_block<3, 32, 32>(zoo::resnet18<>);
constexpr auto resnet50 = block_by_block<3, 32, 32>(zoo::resnet50<>);
constexpr auto small = block_by_block<3, 16, 16>(zoo::resnet18<1000, zoo::stem::small_images>);
static_assert(parameters_of(resnet18) == 11'689'512);
static_assert(parameters_of(resnet50) == 25'557'032);
static_assert(parameters_of(small) == 11'689'512 - 64 * 3 * (49 - 9));
static_assert(std::is_same_v<stage_input<decltype(small), 9>, std::tuple<tensor<float, 512, 2, 2>>>,
              "small images are divided by 8 alone");

// ResNet-20 of He et al. (2016) for CIFAR-10, 0.27 million parameters, with projections of 512 and 2048 weights and their norms.
constexpr auto resnet20 = block_by_block<3, 32, 32>(
    zoo::resnet<zoo::resnet_sizes{.counts = {3, 3, 3}, .has_bottlenecks = false, .planes = 16}, 10, zoo::stem::small_images>);
static_assert(parameters_of(resnet20) == 269'722 + 512 + 2048 + 2 * (32 + 64));

}  // namespace

TEST_CASE("Blocks are called as in torchvision") {
  const auto names = resnet50.names();
  CHECK(names.size() == 18);
  CHECK(names[0] == "conv1");
  CHECK(names[1] == "layer1.0");
  CHECK(names[13] == "layer3.5");
  CHECK(names[17] == "fc");
  CHECK(resnet50[name<"layer3.5">].op_count > 0);
}

TEST_CASE("ResNet-18 gives PyTorch's values, for large and for small images") {
  check_values(values_of_second_image(resnet18, 3),
               {1.12468f, 0.120516f, 0.60124f, -0.0782264f, -1.17578f,
                0.0445532f, -0.0516865f, -1.08904f, -0.63795f, -0.17032f});
  check_values(values_of_second_image(small, 3),
               {0.895176f, 0.202805f, 0.528585f, -0.185505f, -0.647715f,
                0.0120286f, 0.0453938f, -0.845686f, -0.520445f, -0.685066f});
}

TEST_CASE("ResNet-50 gives PyTorch's values") {
  check_values(values_of_second_image(resnet50, 3),
               {-0.448005f, -1.07893f, -0.613472f, 1.00968f, -0.228381f,
                -0.887959f, -0.442889f, -0.938672f, 1.03918f, -1.26087f});
}

}  // namespace resnet_test
