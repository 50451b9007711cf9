// SPDX-License-Identifier: BSL-1.0
// The network of the tutorial, for numbers of either kind.
#pragma once

#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstdint>

using namespace ipuflow;

template <class Number>
constexpr auto mnist = pipeline(input<Number, 1, 28, 28>, per_sample<"label", std::uint8_t>,
    stage(block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu)),
    stage(block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu)),
    stage(block<"B3">(nn::flatten, nn::linear<256>, nn::relu)),
    stage(block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy))));
