// SPDX-License-Identifier: BSL-1.0
// Batch norm: mean and variance of a channel over all samples and pixels of a micro-batch; padding lanes are left out.
// The backward passes find them again from the input instead of keeping them.
#pragma once

#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::nn {

/// The lanes that hold a sample: one, and zero in padding.
template <class T>
lanes<T> sample_mask(std::size_t samples) {
  lanes<T> mask{};
  for (std::size_t l = 0; l < samples; ++l) mask.set(l, number<T>(1));
  return mask;
}

/// A channel of a micro-batch, its mean and one over its deviation.
template <class T, class Shape>
struct channel_moments {
  static constexpr std::size_t channels = Shape::extent(0);
  static constexpr std::size_t plane = Shape::elements / channels;

  T mean{};
  T variance{};
  T inverse{};

  /// Adds up term(lanes of x, index of the pixel's group, of the pixel) over all pixels; padding counts for nothing.
  template <class Term>
  static T total(batch<const T, Shape> x, std::size_t channel, Term term) {
    lanes<T> all{};
    for (std::size_t g = 0; g < x.groups; ++g) {
      lanes<T> of_group{};
      for (std::size_t i = channel * plane; i < (channel + 1) * plane; ++i) of_group += term(x.group(g)[i], g, i);
      all += of_group * sample_mask<T>(x.samples_in(g));
    }
    return sum(all);
  }

  channel_moments(const context& c, parameters<T> p, batch<const T, Shape> x, std::size_t channel) {
    if (c.training) {
      const T share = number<T>(1.0 / static_cast<double>(x.samples * plane));
      mean = static_cast<T>(share * total(x, channel, [](const lanes<T>& v, std::size_t, std::size_t) { return v; }));
      const lanes<T> center = lanes<T>::all(mean);
      variance = static_cast<T>(share * total(x, channel, [&](const lanes<T>& v, std::size_t, std::size_t) {
                                  return (v - center) * (v - center);
                                }));
    } else {
      mean = p.state[channel];
      variance = p.state[channels + channel];
    }
    inverse =
        (lanes<T>::all(number<T>(1)) / math::sqrt(lanes<T>::all(variance) + lanes<T>::all(number<T>(norm_epsilon))))[0];
  }

  [[gnu::always_inline]] lanes<T> normal(const lanes<T>& x) const { return inverse * (x - lanes<T>::all(mean)); }
};

template <class T, class Shape>
void forward(batch_norm_t, const context& c, parameters<T> p, batch<const T, Shape> x, batch<T, Shape> y) {
  using moments = channel_moments<T, Shape>;
  for (std::size_t channel = 0; channel < moments::channels; ++channel) {
    const moments m{c, p, x, channel};
    const lanes<T> shift = lanes<T>::all(p.values[moments::channels + channel]);
    for (std::size_t g = 0; g < x.groups; ++g) {
      for (std::size_t i = channel * moments::plane; i < (channel + 1) * moments::plane; ++i) {
        y.group(g)[i] = p.values[channel] * m.normal(x.group(g)[i]) + shift;
      }
    }
    if (!c.training || !c.updates_state) continue;
    const auto count = static_cast<double>(x.samples * moments::plane);
    const double unbiased = count > 1 ? count / (count - 1) : 1;
    const auto mix = [](T& running, double now) {
      running = number<T>((1 - norm_momentum) * static_cast<double>(running) + norm_momentum * now);
    };
    mix(p.state[channel], static_cast<double>(m.mean));
    mix(p.state[moments::channels + channel], static_cast<double>(m.variance) * unbiased);
  }
}

template <class T, class Shape>
void backward_inputs(batch_norm_t, const context& c, parameters<T> p, batch<const T, Shape> x, batch<const T, Shape>,
                     batch<const T, Shape> d_y, batch<T, Shape> d_x) {
  using moments = channel_moments<T, Shape>;
  const T share = number<T>(1.0 / static_cast<double>(x.samples * moments::plane));
  for (std::size_t channel = 0; channel < moments::channels; ++channel) {
    const moments m{c, p, x, channel};
    lanes<T> mean{}, along{};  // of the gradient, in training only: running statistics do not depend on the input
    if (c.training) {
      const auto gradient = [&](const lanes<T>&, std::size_t g, std::size_t i) { return d_y.group(g)[i]; };
      const auto product = [&](const lanes<T>& v, std::size_t g, std::size_t i) {
        return d_y.group(g)[i] * m.normal(v);
      };
      mean = lanes<T>::all(static_cast<T>(share * moments::total(x, channel, gradient)));
      along = lanes<T>::all(static_cast<T>(share * moments::total(x, channel, product)));
    }
    const T scale = static_cast<T>(p.values[channel] * m.inverse);
    for (std::size_t g = 0; g < x.groups; ++g) {
      const lanes<T> factor = scale * sample_mask<T>(x.samples_in(g));
      for (std::size_t i = channel * moments::plane; i < (channel + 1) * moments::plane; ++i) {
        d_x.group(g)[i] = factor * (d_y.group(g)[i] - mean - m.normal(x.group(g)[i]) * along);
      }
    }
  }
}

template <class T, class Shape>
void backward_weights(batch_norm_t, const context& c, parameters<T> p, batch<const T, Shape> x, batch<const T, Shape>,
                      batch<const T, Shape> d_y, T* d_parameters) {
  using moments = channel_moments<T, Shape>;
  for (std::size_t channel = 0; channel < moments::channels; ++channel) {
    const moments m{c, p, x, channel};
    const auto gradient = [&](const lanes<T>&, std::size_t g, std::size_t i) { return d_y.group(g)[i]; };
    const auto product = [&](const lanes<T>& v, std::size_t g, std::size_t i) { return d_y.group(g)[i] * m.normal(v); };
    T* scale = d_parameters + channel;
    T* shift = scale + moments::channels;
    *scale = static_cast<T>(*scale + moments::total(x, channel, product));
    *shift = static_cast<T>(*shift + moments::total(x, channel, gradient));
  }
}

template <class T, element E, std::size_t Channels, std::size_t... Extent>
constexpr void initialise_layer(batch_norm_t, tensor<E, Channels, Extent...>, std::uint64_t, T* values, T* state) {
  initialise_norm(Channels, values);
  for (std::size_t i = 0; i < Channels; ++i) {
    state[i] = static_cast<T>(0.0f);
    state[Channels + i] = static_cast<T>(1.0f);
  }
}

}  // namespace ipuflow::nn
