// SPDX-License-Identifier: BSL-1.0
// Pooling over squares that do not overlap; what does not fill a square at the right and lower edge is left out.
#pragma once

#include <ipuflow/core/shape.hpp>

#include <cstddef>

namespace ipuflow::nn {

template <std::size_t Size>
struct max_pool_t {};

template <std::size_t Size>
  requires(Size > 0)
inline constexpr max_pool_t<Size> max_pool{};

template <std::size_t Size, element E, std::size_t C, std::size_t H, std::size_t W>
  requires(H >= Size && W >= Size)
constexpr tensor<E, C, H / Size, W / Size> output_of(max_pool_t<Size>, tensor<E, C, H, W>) {
  return {};
}

}  // namespace ipuflow::nn
