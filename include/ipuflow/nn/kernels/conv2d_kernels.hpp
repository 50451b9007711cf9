// SPDX-License-Identifier: BSL-1.0
// What a convolution computes, forward and backward for its inputs: correlations of shapes known to the compiler.
// Measured on one core (bench/nn_bench.cpp): Eigen's matrix product reaches less on the same layers even without the
// im2col copy that it would need, because their inner dimensions are short.
#pragma once

#include <ipuflow/nn/kernels/conv2d_shape.hpp>
#include <ipuflow/nn/kernels/conv2d_weights.hpp>
#include <ipuflow/nn/kernels/correlation.hpp>
#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::nn {

template <class T, std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, class Out, std::size_t C,
          std::size_t H, std::size_t W>
void forward(conv2d_t<F, K, S, P, G>, const context&, parameters<T> p, batch<const T, shape<C, H, W>> x,
             batch<T, Out> y) {
  constexpr conv2d_shape s = conv_shape_of<F, K, S, P, G, C, H, W>();
  using kernel = correlator<forward_correlation(s), T>;
  const T* bias = p.values + s.weights() * G;
  for (std::size_t group = 0; group < x.groups; ++group) {
    for (std::size_t g = 0; g < G; ++g) {
      kernel::run(p.values + g * s.weights(), bias + g * (F / G), x.group(group) + g * s.in_elements(),
                  y.group(group) + g * s.out_elements());
    }
  }
}

template <class T, std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, class Out, std::size_t C,
          std::size_t H, std::size_t W>
void backward_inputs(conv2d_t<F, K, S, P, G>, const context&, parameters<T> p, batch<const T, shape<C, H, W>>,
                     batch<const T, Out>, batch<const T, Out> d_y, batch<T, shape<C, H, W>> d_x) {
  constexpr conv2d_shape s = conv_shape_of<F, K, S, P, G, C, H, W>();
  const auto phase = [&]<std::size_t I>(std::integral_constant<std::size_t, I>, const T* weights, const lanes<T>* from,
                                        lanes<T>* to) {
    constexpr correlation c = input_correlation(s, I / S, I % S);
    if constexpr (!c.is_empty()) correlator<c, T>::run(weights, nullptr, from, to);
  };
  for (std::size_t group = 0; group < d_y.groups; ++group) {
    for (std::size_t g = 0; g < G; ++g) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (phase(std::integral_constant<std::size_t, I>{}, p.values + g * s.weights(),
               d_y.group(group) + g * s.out_elements(), d_x.group(group) + g * s.in_elements()),
         ...);
      }(std::make_index_sequence<S * S>{});
    }
  }
}

/// Adds to `d_parameters`.
template <class T, std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, class Out, std::size_t C,
          std::size_t H, std::size_t W>
void backward_weights(conv2d_t<F, K, S, P, G>, const context&, parameters<T>, batch<const T, shape<C, H, W>> x,
                      batch<const T, Out>, batch<const T, Out> d_y, T* d_parameters) {
  constexpr conv2d_shape s = conv_shape_of<F, K, S, P, G, C, H, W>();
  for (std::size_t group = 0; group < x.groups; ++group) {
    for (std::size_t g = 0; g < G; ++g) {
      const lanes<T>* from = d_y.group(group) + g * s.out_elements();
      weight_gradient<s, T>::run(x.group(group) + g * s.in_elements(), from, d_parameters + g * s.weights());
      add_plane_sums<s, T>(from, d_parameters + G * s.weights() + g * (F / G));
    }
  }
}

template <class T, std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, element E, std::size_t C,
          std::size_t H, std::size_t W>
constexpr void initialise_layer(conv2d_t<F, K, S, P, G> layer, tensor<E, C, H, W> in, std::uint64_t seed, T* values,
                                T*) {
  initialise_uniform(values, facts(layer, in).parameters, C / G * K * K, seed);
}

}  // namespace ipuflow::nn
