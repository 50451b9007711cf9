// SPDX-License-Identifier: BSL-1.0
// The network, in two stages and in four.
#pragma once

#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstddef>
#include <cstdint>

using namespace ipuflow;

// begin: network
template <fixed_string Name, std::size_t Filters>
constexpr auto residual = block<Name>(keep<"skip">, nn::conv2d<Filters, 3, 1, 1>, nn::batch_norm, nn::relu,
                                      nn::conv2d<Filters, 3, 1, 1>, nn::batch_norm, use<"skip">(nn::add), nn::relu);

constexpr auto network = single_stage(input<std::uint8_t, 3, 32, 32>, per_sample<"class", std::uint8_t>,
    block<"stem">(nn::normalise<nn::channels{0.491, 0.482, 0.447}, nn::channels{0.247, 0.243, 0.262}>,
                  nn::conv2d<16, 3, 1, 1>, nn::batch_norm, nn::relu),
    repeat<2>(residual<"wide", 16>),
    block<"half">(nn::conv2d<32, 3, 2, 1>, nn::batch_norm, nn::relu), repeat<2>(residual<"middle", 32>),
    block<"quarter">(nn::conv2d<64, 3, 2, 1>, nn::batch_norm, nn::relu), repeat<2>(residual<"deep", 64>),
    block<"classes">(nn::average_pool<8>, nn::flatten, nn::linear<10>, use<"class">(nn::cross_entropy)));

// Equal work for each stage: three or four of the large convolutions, so two of four begin inside a residual block.
constexpr auto two_stages = regroup(network, stage<"stem", "wide[0:2]", "half", "middle[0]">(),
                                    stage<"middle[1]", "quarter", "deep[0:2]", "classes">());
constexpr auto four_stages = regroup(network, stage<"stem", "wide[0:2]">(), stage<"wide[1][4]", "half", "middle[0]">(),
                                     stage<"middle[1]", "quarter", "deep[0]">(), stage<"deep[0][4]", "deep[1]", "classes">());
// end: network
