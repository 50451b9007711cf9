// SPDX-License-Identifier: BSL-1.0
// What training minimises. A loss takes predictions and what they should have been, and gives both the predictions, so that
// they reach the host, and one number: `use<"label">(nn::cross_entropy)`.
#pragma once

#include <ipuflow/core/shape.hpp>

#include <concepts>
#include <cstddef>
#include <tuple>

namespace ipuflow::nn {

struct cross_entropy_t {};
inline constexpr cross_entropy_t cross_entropy{};

/// The label is the index of the right class.
template <element E, std::size_t Classes, std::integral Label>
constexpr std::tuple<tensor<E, Classes>, tensor<float>> output_of(cross_entropy_t, tensor<E, Classes>, Label) {
  return {};
}

}  // namespace ipuflow::nn
