// SPDX-License-Identifier: BSL-1.0
// Normalisation: numbers are shifted and scaled to mean 0 and variance 1, then to learned ones. Layer and group norm do
// so over each sample alone, batch norm over the samples of a micro-batch. Parameters: scales, then shifts; batch
// norm's state: running means, then running variances, a tenth of each new batch going in, as in PyTorch.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/kernels/batch_norm_kernels.hpp>
#include <ipuflow/nn/kernels/sample_mask.hpp>
#include <ipuflow/nn/kernels/sample_norm_kernels.hpp>
#include <ipuflow/nn/layer.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::nn {

/// Over all of a sample, with a scale and a shift for each element; over each position of a sequence alone, with those of a position.
struct layer_norm_t {};
inline constexpr layer_norm_t layer_norm{};

/// Normalises over each of `Groups` groups of channels, with a scale and a shift for each channel.
template <std::size_t Groups>
struct group_norm_t {};
template <std::size_t Groups>
  requires(Groups > 0)
inline constexpr group_norm_t<Groups> group_norm{};

/// Over each channel of a micro-batch while training, by the running statistics otherwise.
struct batch_norm_t {};
inline constexpr batch_norm_t batch_norm{};

template <real_element E, std::size_t... Extent>
[[nodiscard]] constexpr tensor<E, Extent...> output_of(layer_norm_t, tensor<E, Extent...>) {
  return {};
}
template <std::size_t Groups, real_element E, std::size_t Channels, std::size_t... Extent>
  requires(Channels % Groups == 0 && sizeof...(Extent) != 1)
[[nodiscard]] constexpr tensor<E, Channels, Extent...> output_of(group_norm_t<Groups>, tensor<E, Channels, Extent...>) {
  return {};
}
template <real_element E, std::size_t Channels, std::size_t... Extent>
  requires(sizeof...(Extent) != 1)
[[nodiscard]] constexpr tensor<E, Channels, Extent...> output_of(batch_norm_t, tensor<E, Channels, Extent...>) {
  return {};
}

namespace impl {

/// Statistics are found again by each backward pass, so the input is needed and the work is more than forward.
[[nodiscard]] constexpr layer_facts norm_facts(std::size_t elements, std::size_t scales) {
  return {
      .parameters = 2 * scales,
          .biases = scales, .forward_work = 3 * elements, .input_work = 6 * elements, .weight_work = 4 * elements};
}

}  // namespace impl

template <real_element E, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(layer_norm_t, tensor<E, Extent...>) {
  return impl::norm_facts(shape<Extent...>::elements, shape<Extent...>::elements);
}
template <real_element E, std::size_t Positions, std::size_t Features>
[[nodiscard]] constexpr layer_facts facts(layer_norm_t layer, tensor<E, Positions, Features>) {
  return impl::of_positions(facts(layer, tensor<E, Features>{}), Positions);
}
template <std::size_t Groups, real_element E, std::size_t Channels, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(group_norm_t<Groups>, tensor<E, Channels, Extent...>) {
  return impl::norm_facts(shape<Channels, Extent...>::elements, Channels);
}
template <real_element E, std::size_t Channels, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(batch_norm_t, tensor<E, Channels, Extent...>) {
  layer_facts known = impl::norm_facts(shape<Channels, Extent...>::elements, Channels);
  known.state = 2 * Channels;
  known.whole_batch = true;
  return known;
}

namespace impl {

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

}  // namespace impl

template <class Layer, class T, class Shape>
  requires impl::normalises_samples<Layer, Shape>
void forward(Layer layer, forward_pass<T, in<Shape>, out<Shape>> pass) {
  const auto x = rows_of(get<0>(pass.in));
  const auto y = rows_of(get<0>(pass.out));
  using norm = decltype(impl::norm_of(layer, typename decltype(x)::shape_type{}));
  for (std::size_t g = 0; g < x.groups; ++g) norm::forward(pass.parameters, x.group(g), y.group(g));
}

template <class Layer, class T, class Shape>
  requires impl::normalises_samples<Layer, Shape>
void backward_inputs(Layer layer, inputs_pass<T, in<Shape>, out<Shape>> pass) {
  const auto x = rows_of(get<0>(pass.in));
  const auto d_y = rows_of(get<0>(pass.d_out));
  const auto d_x = rows_of(get<0>(pass.d_in));
  using norm = decltype(impl::norm_of(layer, typename decltype(x)::shape_type{}));
  for (std::size_t g = 0; g < x.groups; ++g) {
    norm::backward_inputs(pass.parameters, x.group(g), d_y.group(g), d_x.group(g));
  }
}

template <class Layer, class T, class Shape>
  requires impl::normalises_samples<Layer, Shape>
void backward_weights(Layer layer, weights_pass<T, in<Shape>, out<Shape>> pass) {
  const auto x = rows_of(get<0>(pass.in));
  const auto d_y = rows_of(get<0>(pass.d_out));
  using norm = decltype(impl::norm_of(layer, typename decltype(x)::shape_type{}));
  for (std::size_t g = 0; g < x.groups; ++g) norm::backward_weights(x.group(g), d_y.group(g), pass.d_parameters);
}

template <class Layer, class T, real_element E, std::size_t... Extent>
  requires impl::normalises_samples<Layer, shape<Extent...>>
constexpr void initialise_layer(Layer layer, tensor<E, Extent...> in, std::uint64_t, T* values, T*) {
  impl::initialise_norm(facts(layer, in).parameters / 2, values);
}

template <class T, class Shape>
void forward(batch_norm_t, forward_pass<T, in<Shape>, out<Shape>> pass) {
  const auto [x] = pass.in;
  const auto [y] = pass.out;
  const impl::channel_sums<T, Shape> of{x};
  for (std::size_t channel = 0; channel < of.channels; ++channel) {
    const impl::moments<lanes<T>> m = of.moments_of(channel, pass.context.training, pass.state);
    const T scale = pass.parameters[channel];
    const lanes<T> shift = lanes<T>::all(pass.parameters[of.channels + channel]);
    for (std::size_t g = 0; g < x.groups; ++g) {
      for (std::size_t i = channel * of.plane; i < (channel + 1) * of.plane; ++i) {
        y.group(g)[i] = scale * m.normal(x.group(g)[i]) + shift;
      }
    }
    if (!pass.context.training || !pass.context.updates_state) continue;
    const auto count = static_cast<double>(x.samples * of.plane);
    const double unbiased = count > 1 ? count / (count - 1) : 1;
    const auto mix = [](T& running, double now) {
      running = number<T>((1 - impl::norm_momentum) * static_cast<double>(running) + impl::norm_momentum * now);
    };
    mix(pass.state[channel], static_cast<double>(m.mean[0]));
    mix(pass.state[of.channels + channel], static_cast<double>(m.variance[0]) * unbiased);
  }
  impl::zero_padding(y);
}

template <class T, class Shape>
void backward_inputs(batch_norm_t, inputs_pass<T, in<Shape>, out<Shape>> pass) {
  const auto x = get<0>(pass.in);
  const auto d_y = get<0>(pass.d_out);
  const auto d_x = get<0>(pass.d_in);
  const impl::channel_sums<T, Shape> of{x};
  for (std::size_t channel = 0; channel < of.channels; ++channel) {
    const impl::moments<lanes<T>> m = of.moments_of(channel, pass.context.training, pass.state);
    lanes<T> mean{}, along{};  // of the gradient, in training only: running statistics do not depend on the input
    if (pass.context.training) {
      const auto gradient = [&](const lanes<T>&, std::size_t g, std::size_t i) { return d_y.group(g)[i]; };
      const auto product = [&](const lanes<T>& v, std::size_t g, std::size_t i) {
        return d_y.group(g)[i] * m.normal(v);
      };
      mean = lanes<T>::all(static_cast<T>(of.share() * of.total(channel, gradient)));
      along = lanes<T>::all(static_cast<T>(of.share() * of.total(channel, product)));
    }
    const T scale = static_cast<T>(pass.parameters[channel] * m.inverse[0]);
    for (std::size_t g = 0; g < x.groups; ++g) {
      const lanes<T> factor = scale * impl::sample_mask<T>(x.samples_in(g));
      for (std::size_t i = channel * of.plane; i < (channel + 1) * of.plane; ++i) {
        d_x.group(g)[i] = factor * (d_y.group(g)[i] - mean - m.normal(x.group(g)[i]) * along);
      }
    }
  }
}

template <class T, class Shape>
void backward_weights(batch_norm_t, weights_pass<T, in<Shape>, out<Shape>> pass) {
  const auto x = get<0>(pass.in);
  const auto d_y = get<0>(pass.d_out);
  const impl::channel_sums<T, Shape> of{x};
  for (std::size_t channel = 0; channel < of.channels; ++channel) {
    const impl::moments<lanes<T>> m = of.moments_of(channel, pass.context.training, pass.state);
    const auto gradient = [&](const lanes<T>&, std::size_t g, std::size_t i) { return d_y.group(g)[i]; };
    const auto product = [&](const lanes<T>& v, std::size_t g, std::size_t i) { return d_y.group(g)[i] * m.normal(v); };
    T& scale = pass.d_parameters[channel];
    T& shift = pass.d_parameters[of.channels + channel];
    scale = static_cast<T>(scale + of.total(channel, product));
    shift = static_cast<T>(shift + of.total(channel, gradient));
  }
}

template <class T, real_element E, std::size_t Channels, std::size_t... Extent>
constexpr void initialise_layer(batch_norm_t, tensor<E, Channels, Extent...>, std::uint64_t, T* values, T* state) {
  impl::initialise_norm(Channels, values);
  for (std::size_t i = 0; i < Channels; ++i) {
    state[i] = static_cast<T>(0.0f);
    state[Channels + i] = static_cast<T>(1.0f);
  }
}

}  // namespace ipuflow::nn
