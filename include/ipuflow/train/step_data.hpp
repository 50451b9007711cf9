// SPDX-License-Identifier: BSL-1.0
// Between the host's samples and the lanes of the kernels: the columns of a step's batch become the inputs of each
// micro-batch, scaled where they are consumed, and what leaves the last stage becomes rows of results.
#pragma once

#include <ipuflow/core/shape.hpp>
#include <ipuflow/nn/packing.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace ipuflow::train {

/// How integers that stand for real numbers become them: x * scale + shift.
struct scaling {
  float scale = 1;
  float shift = 0;

  /// Of 8-bit pixels: (x / 255 - mean) / deviation.
  static constexpr scaling of_pixels(float mean, float deviation) { return {1 / (255 * deviation), -mean / deviation}; }
};

/// Samples into lanes; lanes behind the last sample are zero.
template <class From, class T, class Shape>
void load_samples(const From* samples, const nn::batch<T, Shape>& to, scaling how) {
  nn::pack(samples, to);
  if constexpr (std::is_integral_v<From> && !std::is_integral_v<T>) {
    for (std::size_t g = 0; g < to.groups; ++g) {
      nn::lanes<T> there{};
      for (std::size_t l = 0; l < to.samples_in(g); ++l) there.set(l, static_cast<T>(how.shift));
      for (std::size_t e = 0; e < Shape::elements; ++e) to.group(g)[e] = static_cast<T>(how.scale) * to.group(g)[e] + there;
    }
  }
}

/// The results of a step that leave the last stage at one position, in the order of feed::outputs.
struct result_column {
  std::vector<float> values;
  std::size_t width = 1;  ///< numbers a micro-batch: a row for each sample; of a loss its mean alone

  std::size_t size() const { return values.size() / width; }
  std::span<const float> operator[](std::size_t i) const { return std::span{values}.subspan(i * width, width); }
};

/// One number a sample is a loss: what comes back is its mean.
template <class Type>
inline constexpr bool is_loss = false;
template <element E>
inline constexpr bool is_loss<tensor<E>> = true;

template <class T, class Shape>
void add_samples(const nn::batch<const T, Shape>& from, std::span<float> row) {
  thread_local std::vector<float> added;
  added.resize(row.size());
  nn::unpack(from, added.data());
  for (std::size_t i = 0; i < row.size(); ++i) row[i] += added[i];
}

/// Lanes into rows of a result; `sum` adds to what is there.
template <bool Loss, class T, class Shape>
void store_samples(const nn::batch<const T, Shape>& from, bool sum, std::span<float> row) {
  if constexpr (Loss) {
    double total = 0;
    for (std::size_t g = 0; g < from.groups; ++g) {
      for (std::size_t l = 0; l < from.samples_in(g); ++l) total += static_cast<double>(from.group(g)[0][l]);
    }
    const auto mean = static_cast<float>(total / static_cast<double>(from.samples));
    row[0] = sum ? row[0] + mean : mean;
  } else if (!sum) {
    nn::unpack(from, row.data());
  } else {
    add_samples(from, row);
  }
}

}  // namespace ipuflow::train
