// SPDX-License-Identifier: BSL-1.0
// All axes in one, in the order in which they lie in memory.
#pragma once

#include <ipuflow/core/shape.hpp>

#include <cstddef>

namespace ipuflow::nn {

struct flatten_t {};
inline constexpr flatten_t flatten{};

template <element E, std::size_t... Extent>
constexpr tensor<E, shape<Extent...>::elements> output_of(flatten_t, tensor<E, Extent...>) {
  return {};
}

}  // namespace ipuflow::nn
