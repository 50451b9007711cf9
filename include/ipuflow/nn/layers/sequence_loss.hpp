// SPDX-License-Identifier: BSL-1.0
// Losses of sequences: the mean over the positions of a sample. Next-token prediction is a cross-entropy with the tokens that come
// next as labels; positions that are ignored still count in the mean.
#pragma once

#include <ipuflow/nn/layers/loss.hpp>

#include <concepts>
#include <cstddef>
#include <tuple>

namespace ipuflow::nn {

template <impl::classifies Layer, real_element E, std::size_t Positions, std::size_t Classes, std::integral Label>
[[nodiscard]] constexpr std::tuple<tensor<E, Positions, Classes>, tensor<float>> output_of(Layer, tensor<E, Positions, Classes>,
                                                                                           tensor<Label, Positions>) {
  return {};
}

template <impl::classifies Layer, real_element E, std::size_t Positions, std::size_t Classes, std::integral Label>
[[nodiscard]] constexpr layer_facts facts(Layer layer, tensor<E, Positions, Classes>, tensor<Label, Positions>) {
  return impl::of_positions(facts(layer, tensor<E, Classes>{}, Label{}), Positions);
}

}  // namespace ipuflow::nn
