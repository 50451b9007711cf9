// SPDX-License-Identifier: BSL-1.0
// Pipelines that the host's stage programs and those on tiles are both checked with.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/layers/dropout.hpp>
#include <ipuflow/nn/layers/flatten.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/layers/pool.hpp>
#include <ipuflow/nn/layers/residual.hpp>

#include <cstdint>

namespace nn_test {

using namespace ipuflow;

inline constexpr auto small = pipeline(input<float, 1, 8, 8>, per_sample<"label", std::uint8_t>,
                                stage(block<"B1">(nn::conv2d<3, 3>, nn::max_pool<2>, nn::relu)).ipu<0>(),
                                stage(block<"B2">(nn::conv2d<4, 2>, nn::batch_norm, nn::tanh)).ipu<1>(),
                                stage(block<"B3">(nn::flatten, nn::linear<9>, nn::dropout<0.25>, nn::relu)).ipu<2>(),
                                stage(block<"B4">(nn::linear<5>, use<"label">(nn::cross_entropy))).ipu<3>());

/// A value that is read twice in its stage, one that passes through a stage, one that leaves as it came.
inline constexpr auto residual = pipeline(
    input<float, 6>, per_sample<"label", std::uint8_t>, per_sample<"more", tensor<float, 6>>,
    stage(block<"A">(nn::linear<6>, keep<"skip">, nn::tanh, use<"skip">(nn::add), use<"more">(nn::add))).ipu<0>(),
    stage(block<"B">(keep<"far">, nn::linear<6>, nn::relu)).ipu<1>(),
    stage(block<"C">(use<"far">(nn::add), use<"skip">(nn::add), nn::linear<4>)).ipu<2>(),
    stage(block<"D">(use<"label">(nn::cross_entropy))).ipu<3>());

inline constexpr auto branched = pipeline(
    input<float, 5>, per_sample<"goal", tensor<float, 3>>, stage(block<"in">(nn::linear<4>, nn::tanh)).ipu<0>(),
    concurrent(stage(block<"left">(nn::linear<3>)).ipu<1>(), stage(block<"right">(nn::tanh, nn::linear<3>)).ipu<2>()),
    stage(block<"out">(nn::add, use<"goal">(nn::mean_squared_error))).ipu<3>());

}  // namespace nn_test
