// SPDX-License-Identifier: BSL-1.0
// Layer and group norm: a sample is cut into segments of equal length, each with its own mean and variance, and its
// elements into as many runs as there are scales. With n = (x - mean) / deviation and g = scale * gradient the gradient
// for x is (g - mean(g) - n * mean(g * n)) / deviation.
#pragma once

#include <ipuflow/nn/kernels/moments.hpp>

#include <cstddef>

namespace ipuflow::nn {

namespace impl {

template <class T>
moments<lanes<T>> moments_of(const lanes<T>* x, std::size_t count) {
  const T share = number<T>(1.0 / static_cast<double>(count));
  lanes<T> sum{}, squares{};
  for (std::size_t i = 0; i < count; ++i) sum += x[i];
  const lanes<T> mean = share * sum;
  for (std::size_t i = 0; i < count; ++i) squares += (x[i] - mean) * (x[i] - mean);
  return {mean, share * squares};
}

template <std::size_t Segments, std::size_t Scales, std::size_t Elements>
struct sample_norm {
  static constexpr std::size_t segment = Elements / Segments;
  static constexpr std::size_t run = Elements / Scales;

  template <class T>
  static void forward(const T* scales, const lanes<T>* x, lanes<T>* y) {
    for (std::size_t s = 0; s < Elements; s += segment) {
      const moments<lanes<T>> m = moments_of(x + s, segment);
      for (std::size_t i = s; i < s + segment; ++i) {
        y[i] = scales[i / run] * m.normal(x[i]) + lanes<T>::all(scales[Scales + i / run]);
      }
    }
  }

  template <class T>
  static void backward_inputs(const T* scales, const lanes<T>* x, const lanes<T>* d_y, lanes<T>* d_x) {
    const T share = number<T>(1.0 / segment);
    for (std::size_t s = 0; s < Elements; s += segment) {
      const moments<lanes<T>> m = moments_of(x + s, segment);
      lanes<T> mean{}, along{};
      for (std::size_t i = s; i < s + segment; ++i) {
        const lanes<T> gradient = scales[i / run] * d_y[i];
        mean += gradient;
        along += gradient * m.normal(x[i]);
      }
      mean = share * mean;
      along = share * along;
      for (std::size_t i = s; i < s + segment; ++i) {
        d_x[i] = (scales[i / run] * d_y[i] - mean - m.normal(x[i]) * along) * m.inverse;
      }
    }
  }

  template <class T>
  static void backward_weights(const lanes<T>* x, const lanes<T>* d_y, T* d_scales) {
    for (std::size_t s = 0; s < Elements; s += segment) {
      const moments<lanes<T>> m = moments_of(x + s, segment);
      for (std::size_t first = s; first < s + segment; first += run) {
        lanes<T> scale{}, shift{};
        for (std::size_t i = first; i < first + run; ++i) {
          scale += d_y[i] * m.normal(x[i]);
          shift += d_y[i];
        }
        d_scales[first / run] = static_cast<T>(d_scales[first / run] + sum(scale));
        d_scales[Scales + first / run] = static_cast<T>(d_scales[Scales + first / run] + sum(shift));
      }
    }
  }
};

}  // namespace impl

}  // namespace ipuflow::nn
