// SPDX-License-Identifier: BSL-1.0
// Batch norm: mean and variance of a channel over all samples and pixels of a micro-batch; padding lanes are left out.
// The backward passes find them again from the input instead of keeping them.
#pragma once

#include <ipuflow/nn/batch.hpp>
#include <ipuflow/nn/kernels/moments.hpp>
#include <ipuflow/nn/kernels/sample_mask.hpp>

#include <cstddef>

namespace ipuflow::nn {

namespace impl {

/// The channels of a micro-batch, and sums over one of them.
template <class T, class Shape>
struct channel_sums {
  static constexpr std::size_t channels = Shape::extent(0);
  static constexpr std::size_t plane = Shape::elements / channels;

  batch<const T, Shape> x;

  T share() const { return number<T>(1.0 / static_cast<double>(x.samples * plane)); }

  /// Adds up term(lanes of x, index of the pixel's group, of the pixel) over all pixels; padding counts for nothing.
  template <class Term>
  T total(std::size_t channel, Term term) const {
    lanes<T> all{};
    for (std::size_t g = 0; g < x.groups; ++g) {
      lanes<T> of_group{};
      for (std::size_t i = channel * plane; i < (channel + 1) * plane; ++i) of_group += term(x.group(g)[i], g, i);
      all += of_group * sample_mask<T>(x.samples_in(g));
    }
    return sum(all);
  }

  /// Of the micro-batch while training, otherwise the running ones.
  moments<lanes<T>> moments_of(std::size_t channel, bool training, const T* running) const {
    if (!training) return {lanes<T>::all(running[channel]), lanes<T>::all(running[channels + channel])};
    const auto number_itself = [](const lanes<T>& v, std::size_t, std::size_t) { return v; };
    const lanes<T> mean = lanes<T>::all(static_cast<T>(share() * total(channel, number_itself)));
    const auto square = [&](const lanes<T>& v, std::size_t, std::size_t) { return (v - mean) * (v - mean); };
    return {mean, lanes<T>::all(static_cast<T>(share() * total(channel, square)))};
  }
};

}  // namespace impl

}  // namespace ipuflow::nn
