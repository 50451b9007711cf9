// SPDX-License-Identifier: BSL-1.0
// Layer and group norm: a sample is cut into segments of equal length, each with its own mean and variance, and its
// elements into as many runs as there are scales. With n = (x - mean) / deviation and g = scale * gradient the gradient
// for x is (g - mean(g) - n * mean(g * n)) / deviation.
#pragma once

#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::nn {

/// Mean, and one over the deviation, of a segment.
template <class T>
struct moments {
  lanes<T> mean{};
  lanes<T> inverse{};

  moments(const lanes<T>* x, std::size_t count) {
    const T share = number<T>(1.0 / static_cast<double>(count));
    lanes<T> sum{}, squares{};
    for (std::size_t i = 0; i < count; ++i) sum += x[i];
    mean = share * sum;
    for (std::size_t i = 0; i < count; ++i) squares += (x[i] - mean) * (x[i] - mean);
    inverse = lanes<T>::all(number<T>(1)) / math::sqrt(share * squares + lanes<T>::all(number<T>(norm_epsilon)));
  }

  [[gnu::always_inline]] lanes<T> normal(const lanes<T>& x) const { return (x - mean) * inverse; }
};

template <std::size_t Segments, std::size_t Scales, std::size_t Elements>
struct sample_norm {
  static constexpr std::size_t segment = Elements / Segments;
  static constexpr std::size_t run = Elements / Scales;

  template <class T>
  static void forward(const T* scales, const lanes<T>* x, lanes<T>* y) {
    for (std::size_t s = 0; s < Elements; s += segment) {
      const moments<T> m{x + s, segment};
      for (std::size_t i = s; i < s + segment; ++i) {
        y[i] = scales[i / run] * m.normal(x[i]) + lanes<T>::all(scales[Scales + i / run]);
      }
    }
  }

  template <class T>
  static void backward_inputs(const T* scales, const lanes<T>* x, const lanes<T>* d_y, lanes<T>* d_x) {
    const T share = number<T>(1.0 / segment);
    for (std::size_t s = 0; s < Elements; s += segment) {
      const moments<T> m{x + s, segment};
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
      const moments<T> m{x + s, segment};
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

template <class Shape>
constexpr sample_norm<1, Shape::elements, Shape::elements> norm_of(layer_norm_t, Shape) {
  return {};
}
template <std::size_t Groups, std::size_t Channels, std::size_t... Extent>
constexpr sample_norm<Groups, Channels, shape<Channels, Extent...>::elements> norm_of(group_norm_t<Groups>,
                                                                                      shape<Channels, Extent...>) {
  return {};
}

template <class Layer, class Shape>
concept normalises_samples = requires(Layer layer, Shape of) { norm_of(layer, of); };

template <class Layer, class T, class Shape>
  requires normalises_samples<Layer, Shape>
void forward(Layer layer, const context&, parameters<T> p, batch<const T, Shape> x, batch<T, Shape> y) {
  using norm = decltype(norm_of(layer, Shape{}));
  for (std::size_t g = 0; g < x.groups; ++g) norm::forward(p.values, x.group(g), y.group(g));
}

template <class Layer, class T, class Shape>
  requires normalises_samples<Layer, Shape>
void backward_inputs(Layer layer, const context&, parameters<T> p, batch<const T, Shape> x, batch<const T, Shape>,
                     batch<const T, Shape> d_y, batch<T, Shape> d_x) {
  using norm = decltype(norm_of(layer, Shape{}));
  for (std::size_t g = 0; g < x.groups; ++g) norm::backward_inputs(p.values, x.group(g), d_y.group(g), d_x.group(g));
}

template <class Layer, class T, class Shape>
  requires normalises_samples<Layer, Shape>
void backward_weights(Layer layer, const context&, parameters<T>, batch<const T, Shape> x, batch<const T, Shape>,
                      batch<const T, Shape> d_y, T* d_parameters) {
  using norm = decltype(norm_of(layer, Shape{}));
  for (std::size_t g = 0; g < x.groups; ++g) norm::backward_weights(x.group(g), d_y.group(g), d_parameters);
}

template <class Layer, class T, element E, std::size_t... Extent>
  requires normalises_samples<Layer, shape<Extent...>>
constexpr void initialise_layer(Layer layer, tensor<E, Extent...> in, std::uint64_t, T* values, T*) {
  initialise_norm(facts(layer, in).parameters / 2, values);
}

}  // namespace ipuflow::nn
