// SPDX-License-Identifier: BSL-1.0
// What tests of networks ask: the number of parameters, each block being a stage, and values on the host.
#pragma once

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/stage/stage_program.hpp>

#include <boost/hana/unpack.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace zoo_test {

using namespace ipuflow;

/// A network with a stage for each of its blocks, for images of this shape.
template <std::size_t Channels, std::size_t Height, std::size_t Width, class Network>
constexpr auto block_by_block(const Network& network) {
  return hana::unpack(network.blocks, [](auto... block) { return pipeline(input<float, Channels, Height, Width>, block...); });
}

template <class P, std::size_t... Stage>
constexpr std::size_t parameters_of(std::index_sequence<Stage...>) {
  return (nn::stage_program<P, Stage, float>::parameter_count + ...);
}
template <class P>
constexpr std::size_t parameters_of(const P&) {
  return parameters_of<P>(std::make_index_sequence<P::stage_count>{});
}

}  // namespace zoo_test
