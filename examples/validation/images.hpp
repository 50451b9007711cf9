// SPDX-License-Identifier: BSL-1.0
// Networks that see images, as published runs had them: images come as bytes from the host, tiles make halves of them and normalise
// these as torchvision's models want it.
#pragma once

#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstddef>
#include <cstdint>

namespace validation {

using namespace ipuflow;

template <std::size_t Edge, class Network>
constexpr auto images(const Network& network) {
  return single_stage(
      input<std::uint8_t, 3, Edge, Edge>, per_sample<"class", std::int32_t>,
      block<"pixels">(nn::cast<half>, nn::normalise<nn::channels{0.485, 0.456, 0.406}, nn::channels{0.229, 0.224, 0.225}>), network,
      block<"loss">(use<"class">(nn::cross_entropy)));
}

}  // namespace validation
