// SPDX-License-Identifier: BSL-1.0
// A network of six blocks, four of them alike, as one stage and as two typed ones.
#pragma once

#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstddef>
#include <cstdint>

namespace planning_test {

using namespace ipuflow;

inline constexpr auto network = single_stage(input<float, 8, 32>, per_sample<"label", std::uint8_t>,
                                             block<"first">(nn::linear<48>, nn::relu),
                                             repeat<4>(block<"layer">(nn::layer_norm, nn::linear<48>, nn::gelu)),
                                             block<"last">(nn::flatten, nn::linear<10>, use<"label">(nn::cross_entropy)));
inline constexpr auto in_two = regroup(network, stage<"first", "layer[0:2]">().ipu<0>(), stage<"layer[2:4]", "last">().ipu<1>());

}  // namespace planning_test
