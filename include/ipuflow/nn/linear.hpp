// SPDX-License-Identifier: BSL-1.0
// A fully connected layer from a vector to a vector.
#pragma once

#include <ipuflow/core/shape.hpp>

#include <cstddef>

namespace ipuflow::nn {

template <std::size_t Outputs>
struct linear_t {};

template <std::size_t Outputs>
  requires(Outputs > 0)
inline constexpr linear_t<Outputs> linear{};

template <std::size_t Outputs, element E, std::size_t Inputs>
constexpr tensor<E, Outputs> output_of(linear_t<Outputs>, tensor<E, Inputs>) {
  return {};
}

}  // namespace ipuflow::nn
