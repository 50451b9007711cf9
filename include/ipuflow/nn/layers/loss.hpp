// SPDX-License-Identifier: BSL-1.0
// What training minimises. A loss takes predictions and what they should have been, and gives both the predictions, so
// that they reach the host, and one number a sample: `use<"label">(nn::cross_entropy)`. The predictions are the memory
// that the loss was given; no gradient flows into them but that of the loss.
#pragma once

#include <ipuflow/core/shape.hpp>
#include <ipuflow/nn/batch.hpp>

#include <concepts>
#include <cstddef>
#include <tuple>

namespace ipuflow::nn {

/// -log softmax(predictions)[label], PyTorch's CrossEntropyLoss.
struct cross_entropy_t {};
inline constexpr cross_entropy_t cross_entropy{};

/// The mean over the elements of (prediction - target) squared.
struct mean_squared_error_t {};
inline constexpr mean_squared_error_t mean_squared_error{};

/// The label is the index of the right class.
template <element E, std::size_t Classes, std::integral Label>
[[nodiscard]] constexpr std::tuple<tensor<E, Classes>, tensor<float>> output_of(cross_entropy_t, tensor<E, Classes>, Label) {
  return {};
}

template <element E, std::size_t... Extent>
[[nodiscard]] constexpr std::tuple<tensor<E, Extent...>, tensor<float>> output_of(mean_squared_error_t, tensor<E, Extent...>,
                                                                                  tensor<E, Extent...>) {
  return {};
}

template <element E, std::size_t Classes, std::integral Label>
[[nodiscard]] constexpr layer_facts facts(cross_entropy_t, tensor<E, Classes>, Label) {
  return {.forward_work = 2 * Classes, .input_work = 3 * Classes, .same_memory = true};
}

template <element E, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(mean_squared_error_t, tensor<E, Extent...>, tensor<E, Extent...>) {
  constexpr std::size_t elements = shape<Extent...>::elements;
  return {.forward_work = elements, .input_work = elements, .same_memory = true};
}

}  // namespace ipuflow::nn
