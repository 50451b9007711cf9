// SPDX-License-Identifier: BSL-1.0
// Networks that see images, with each kind of numbers at their entry.
#pragma once

#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace pipeline_planner {

using namespace ipuflow;

/// A classifier of images whose numbers are made by the host: converted and normalised.
template <class Number, std::size_t... Shape, class Network>
constexpr auto of_numbers(const Network& network) {
  return single_stage(input<Number, Shape...>, per_sample<"class", std::int32_t>, network, block<"loss">(use<"class">(nn::cross_entropy)));
}

/// The same, of images that come as bytes: tiles convert and normalise them, as torchvision's models want it.
template <class Number, std::size_t... Shape, class Network>
constexpr auto of_bytes(const Network& network) {
  return single_stage(input<std::uint8_t, Shape...>, per_sample<"class", std::int32_t>,
                      block<"pixels">(nn::cast<Number>, nn::normalise<nn::channels{0.485, 0.456, 0.406}, nn::channels{0.229, 0.224, 0.225}>),
                      network, block<"loss">(use<"class">(nn::cross_entropy)));
}

}  // namespace pipeline_planner
