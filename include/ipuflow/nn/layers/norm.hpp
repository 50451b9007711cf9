// SPDX-License-Identifier: BSL-1.0
// Normalisation: numbers are shifted and scaled to mean 0 and variance 1, then to learned ones. Layer and group norm do
// so over each sample alone, batch norm over the samples of a micro-batch. Parameters: scales, then shifts; batch
// norm's state: running means, then running variances, a tenth of each new batch going in, as in PyTorch.
#pragma once

#include <ipuflow/core/shape.hpp>
#include <ipuflow/nn/batch.hpp>

#include <cstddef>

namespace ipuflow::nn {

/// Added to every variance.
inline constexpr double norm_epsilon = 1e-5;
/// How much of a running statistic is replaced by that of a new micro-batch.
inline constexpr double norm_momentum = 0.1;

/// Over all of a sample, with a scale and a shift for each element.
struct layer_norm_t {};
inline constexpr layer_norm_t layer_norm{};

/// Over each of so many groups of channels, with a scale and a shift for each channel.
template <std::size_t Groups>
struct group_norm_t {};
template <std::size_t Groups>
  requires(Groups > 0)
inline constexpr group_norm_t<Groups> group_norm{};

/// Over each channel of a micro-batch while training, by the running statistics otherwise.
struct batch_norm_t {};
inline constexpr batch_norm_t batch_norm{};

template <element E, std::size_t... Extent>
[[nodiscard]] constexpr tensor<E, Extent...> output_of(layer_norm_t, tensor<E, Extent...>) {
  return {};
}
template <std::size_t Groups, element E, std::size_t Channels, std::size_t... Extent>
  requires(Channels % Groups == 0)
[[nodiscard]] constexpr tensor<E, Channels, Extent...> output_of(group_norm_t<Groups>, tensor<E, Channels, Extent...>) {
  return {};
}
template <element E, std::size_t Channels, std::size_t... Extent>
[[nodiscard]] constexpr tensor<E, Channels, Extent...> output_of(batch_norm_t, tensor<E, Channels, Extent...>) {
  return {};
}

/// Statistics are found again by each backward pass, so the input is needed and the work is more than forward.
[[nodiscard]] constexpr layer_facts norm_facts(std::size_t elements, std::size_t scales) {
  return {
      .parameters = 2 * scales,
          .biases = scales, .forward_work = 3 * elements, .input_work = 6 * elements, .weight_work = 4 * elements};
}

template <element E, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(layer_norm_t, tensor<E, Extent...>) {
  return norm_facts(shape<Extent...>::elements, shape<Extent...>::elements);
}
template <std::size_t Groups, element E, std::size_t Channels, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(group_norm_t<Groups>, tensor<E, Channels, Extent...>) {
  return norm_facts(shape<Channels, Extent...>::elements, Channels);
}
template <element E, std::size_t Channels, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(batch_norm_t, tensor<E, Channels, Extent...>) {
  layer_facts known = norm_facts(shape<Channels, Extent...>::elements, Channels);
  known.state = 2 * Channels;
  known.whole_batch = true;
  return known;
}

/// Scales of one, shifts of zero.
template <class T>
constexpr void initialise_norm(std::size_t scales, T* values) {
  for (std::size_t i = 0; i < scales; ++i) {
    values[i] = static_cast<T>(1.0f);
    values[scales + i] = static_cast<T>(0.0f);
  }
}

}  // namespace ipuflow::nn
