// SPDX-License-Identifier: BSL-1.0
// The network of the tutorial, four blocks over digits of 28 x 28, trained by SGD with momentum.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <pipeline_planner/networks.hpp>

#include <cstdint>

namespace pipeline_planner {

namespace {

template <class Pixel, class... FirstOp>
constexpr auto digits(const FirstOp&... first) {
  return single_stage(input<Pixel, 1, 28, 28>, per_sample<"label", std::uint8_t>,
                      block<"B1">(first..., nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu),
                      block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu),
                      block<"B3">(nn::flatten, nn::linear<256>, nn::relu),
                      block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy)));
}

constexpr auto floats = digits<float>();
constexpr auto halves = digits<half>();
constexpr auto bytes_to_floats = digits<std::uint8_t>(nn::cast<float>, nn::normalise<0.1307, 0.3081>);
constexpr auto bytes_to_halves = digits<std::uint8_t>(nn::cast<half>, nn::normalise<0.1307, 0.3081>);

}  // namespace

std::vector<train::planned_network> mnist() {
  constexpr train::sgd by{.momentum = 0.9f};
  return together(versions_of(floats, halves, by, by), versions_of(bytes_to_floats, bytes_to_halves, by, by, true));
}

}  // namespace pipeline_planner
