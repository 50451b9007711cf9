// SPDX-License-Identifier: BSL-1.0
// A two-dimensional convolution over channels x height x width, with a bias for each filter unless `without_biases`: every
// output pixel sees a square of the input, `Stride` apart, the input being surrounded by `Padding` zeros. Filters and channels
// may be split into groups that do not see each other. Parameters: weights [filter][channel of the group][row][column], then biases.
// Windows of 3 x 3 over many channels are computed by Winograd's transforms, of all samples at once; all others are
// correlations of shapes known to the compiler, which are faster than products of matrices of so few rows (bench/nn_bench.cpp).
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/kernels/conv2d_shape.hpp>
#include <ipuflow/nn/kernels/conv2d_weights.hpp>
#include <ipuflow/nn/kernels/correlation.hpp>
#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/kernels/winograd.hpp>
#include <ipuflow/nn/kernels/winograd_correlation.hpp>
#include <ipuflow/nn/kernels/winograd_weights.hpp>
#include <ipuflow/nn/layer.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::nn {

template <std::size_t Filters, std::size_t Kernel, std::size_t Stride, std::size_t Padding, std::size_t Groups, bool Biased>
struct conv2d_t {};

template <std::size_t Filters, std::size_t Kernel, std::size_t Stride = 1, std::size_t Padding = 0,
          std::size_t Groups = 1>
  requires(Filters > 0 && Kernel > 0 && Stride > 0 && Groups > 0)
inline constexpr conv2d_t<Filters, Kernel, Stride, Padding, Groups, true> conv2d{};

/// The same convolution with weights alone, as it stands before a norm: `without_biases(nn::conv2d<64, 3, 1, 1>)`.
template <std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, bool B>
[[nodiscard]] constexpr conv2d_t<F, K, S, P, G, false> without_biases(conv2d_t<F, K, S, P, G, B>) {
  return {};
}

template <std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, bool B, real_element E,
          std::size_t C, std::size_t H, std::size_t W>
  requires(H + 2 * P >= K && W + 2 * P >= K && C % G == 0 && F % G == 0)
[[nodiscard]] constexpr tensor<E, F, (H + 2 * P - K) / S + 1, (W + 2 * P - K) / S + 1> output_of(conv2d_t<F, K, S, P, G, B>,
                                                                                                 tensor<E, C, H, W>) {
  return {};
}

/// Work counts the taps that fall into the padding too.
template <std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, bool B, real_element E,
          std::size_t C, std::size_t H, std::size_t W>
[[nodiscard]] constexpr layer_facts facts(conv2d_t<F, K, S, P, G, B> layer, tensor<E, C, H, W> in) {
  const std::size_t weights = F * (C / G) * K * K;
  const std::size_t work = decltype(output_of(layer, in))::elements * (C / G) * K * K;
  const std::size_t biases = B ? F : 0;
  return {.parameters = weights + biases,
          .biases = biases,
          .forward_work = work,
          .input_work = work,
          .weight_work = work,
          .whole_batch = impl::takes_winograd(impl::conv_shape_of<F, K, S, P, G, C, H, W>()),
          .inputs_need_input = false,
          .weight_extents = {{F, C / G, K, K}, 4}};
}

template <class T, std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, bool B, class Out,
          std::size_t C, std::size_t H, std::size_t W>
void forward(conv2d_t<F, K, S, P, G, B>, forward_pass<T, in<shape<C, H, W>>, out<Out>> pass) {
  constexpr impl::conv2d_shape s = impl::conv_shape_of<F, K, S, P, G, C, H, W>();
  const auto [x] = pass.in;
  const auto [y] = pass.out;
  const T* biases = B ? pass.parameters + s.weights() * G : nullptr;
  for (std::size_t g = 0; g < G; ++g) {
    const T* weights = pass.parameters + g * s.weights();
    const T* bias = B ? biases + g * (F / G) : nullptr;
    const lanes<T>* from = x.data + g * s.in_elements();
    lanes<T>* to = y.data + g * s.out_elements();
    if constexpr (impl::by_winograd<T>(s)) {
      impl::winograd_correlation<T>::run(impl::winograd_forward(s), weights, bias, from, G * s.in_elements(), to, G * s.out_elements(),
                                         x.groups);
    } else {
      using kernel = impl::correlator<impl::forward_correlation(s), T>;
      for (std::size_t group = 0; group < x.groups; ++group) {
        kernel::run(weights, bias, from + group * G * s.in_elements(), to + group * G * s.out_elements());
      }
    }
  }
}

/// A gradient of inputs is a correlation for each offset from the stride's grid.
template <class T, std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, bool B, class Out,
          std::size_t C, std::size_t H, std::size_t W>
void backward_inputs(conv2d_t<F, K, S, P, G, B>, inputs_pass<T, in<shape<C, H, W>>, out<Out>> pass) {
  constexpr impl::conv2d_shape s = impl::conv_shape_of<F, K, S, P, G, C, H, W>();
  const auto [d_y] = pass.d_out;
  const auto [d_x] = pass.d_in;
  for (std::size_t g = 0; g < G; ++g) {
    const T* weights = pass.parameters + g * s.weights();
    const lanes<T>* from = d_y.data + g * s.out_elements();
    lanes<T>* to = d_x.data + g * s.in_elements();
    if constexpr (impl::by_winograd<T>(s)) {
      impl::winograd_correlation<T>::run(impl::winograd_inputs(s), weights, nullptr, from, G * s.out_elements(), to, G * s.in_elements(),
                                         d_y.groups);
    } else {
      const auto phase = [&]<std::size_t I>(std::integral_constant<std::size_t, I>, std::size_t group) {
        constexpr impl::correlation c = impl::input_correlation(s, I / S, I % S);
        if constexpr (!c.is_empty()) {
          impl::correlator<c, T>::run(weights, nullptr, from + group * G * s.out_elements(), to + group * G * s.in_elements());
        }
      };
      for (std::size_t group = 0; group < d_y.groups; ++group) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
          (phase(std::integral_constant<std::size_t, I>{}, group), ...);
        }(std::make_index_sequence<S * S>{});
      }
    }
  }
}

template <class T, std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, bool B, class Out,
          std::size_t C, std::size_t H, std::size_t W>
void backward_weights(conv2d_t<F, K, S, P, G, B>, weights_pass<T, in<shape<C, H, W>>, out<Out>> pass) {
  constexpr impl::conv2d_shape s = impl::conv_shape_of<F, K, S, P, G, C, H, W>();
  const auto [x] = pass.in;
  const auto [d_y] = pass.d_out;
  for (std::size_t g = 0; g < G; ++g) {
    const lanes<T>* pixels = x.data + g * s.in_elements();
    const lanes<T>* from = d_y.data + g * s.out_elements();
    T* to = pass.d_parameters + g * s.weights();
    if constexpr (impl::by_winograd<T>(s)) {
      impl::winograd_weights<T>::run(s, pixels, G * s.in_elements(), from, G * s.out_elements(), x.groups, to);
    } else {
      for (std::size_t group = 0; group < x.groups; ++group) {
        impl::weight_gradient<s, T>::run(pixels + group * G * s.in_elements(), from + group * G * s.out_elements(), to);
      }
    }
    for (std::size_t group = 0; B && group < x.groups; ++group) {
      impl::add_plane_sums<s, T>(from + group * G * s.out_elements(), pass.d_parameters + G * s.weights() + g * (F / G));
    }
  }
}

template <class T, std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, bool B, real_element E,
          std::size_t C, std::size_t H, std::size_t W>
constexpr void initialise_layer(conv2d_t<F, K, S, P, G, B> layer, tensor<E, C, H, W> in, std::uint64_t seed, T* values,
                                T*) {
  impl::initialise_uniform(values, facts(layer, in).parameters, C / G * K * K, seed);
}

}  // namespace ipuflow::nn
