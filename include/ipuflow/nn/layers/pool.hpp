// SPDX-License-Identifier: BSL-1.0
// Pooling over squares of a plane, `Stride` apart; the plane may be padded. What does not fill a square at the right
// and lower edge is left out. Padding never wins a maximum; in an average it counts as zeros; of several equal maxima the
// first in its square gets the gradient: as PyTorch has it. What is not a number is the largest of nothing but its like.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/kernels/pool_kernels.hpp>
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <cstddef>
#include <limits>

namespace ipuflow::nn {

namespace impl {

/// The squares that a pooling layer looks at.
template <std::size_t Size, std::size_t Stride, std::size_t Padding>
struct pool_windows {};

}  // namespace impl

template <std::size_t Size, std::size_t Stride, std::size_t Padding>
struct max_pool_t : impl::pool_windows<Size, Stride, Padding> {};
template <std::size_t Size, std::size_t Stride, std::size_t Padding>
struct average_pool_t : impl::pool_windows<Size, Stride, Padding> {};

template <std::size_t Size, std::size_t Stride = Size, std::size_t Padding = 0>
  requires(Size > 0 && Stride > 0 && 2 * Padding <= Size)
inline constexpr max_pool_t<Size, Stride, Padding> max_pool{};

template <std::size_t Size, std::size_t Stride = Size, std::size_t Padding = 0>
  requires(Size > 0 && Stride > 0 && 2 * Padding <= Size)
inline constexpr average_pool_t<Size, Stride, Padding> average_pool{};

template <std::size_t Size, std::size_t S, std::size_t P, real_element E, std::size_t C, std::size_t H, std::size_t W>
  requires(H + 2 * P >= Size && W + 2 * P >= Size)
[[nodiscard]] constexpr tensor<E, C, (H + 2 * P - Size) / S + 1, (W + 2 * P - Size) / S + 1> output_of(impl::pool_windows<Size, S, P>,
                                                                                                       tensor<E, C, H, W>) {
  return {};
}

namespace impl {

template <std::size_t Size, std::size_t S, std::size_t P, real_element E, std::size_t C, std::size_t H, std::size_t W>
[[nodiscard]] constexpr std::size_t pooling_work(pool_windows<Size, S, P> layer, tensor<E, C, H, W> in) {
  return decltype(output_of(layer, in))::elements * Size * Size;
}

}  // namespace impl

/// The facts of maximum pooling: the place of a maximum is found again from input and output.
template <std::size_t Size, std::size_t S, std::size_t P, real_element E, std::size_t C, std::size_t H, std::size_t W>
[[nodiscard]] constexpr layer_facts facts(max_pool_t<Size, S, P> layer, tensor<E, C, H, W> in) {
  const std::size_t work = impl::pooling_work(layer, in);
  return {.forward_work = work, .input_work = work, .inputs_need_input = true, .inputs_need_output = true};
}

template <std::size_t Size, std::size_t S, std::size_t P, real_element E, std::size_t C, std::size_t H, std::size_t W>
[[nodiscard]] constexpr layer_facts facts(average_pool_t<Size, S, P> layer, tensor<E, C, H, W> in) {
  const std::size_t work = impl::pooling_work(layer, in);
  return {.forward_work = work, .input_work = work, .inputs_need_input = false};
}

template <class T, std::size_t K, std::size_t S, std::size_t P, std::size_t C, std::size_t H, std::size_t W, class Out>
void forward(max_pool_t<K, S, P>, forward_pass<T, in<shape<C, H, W>>, out<Out>> pass) {
  const auto [x] = pass.in;
  const auto [y] = pass.out;
  const auto lowest = constant<lanes<T>>(-std::numeric_limits<double>::infinity());
  for (std::size_t g = 0; g < x.groups; ++g) {
    const lanes<T>* in = x.group(g);
    lanes<T>* out = y.group(g);
    const auto fold = [=](const lanes<T>& first, auto larger, auto made) {
      impl::squares<K, S, P, C, H, W>::each([=](std::size_t at, std::size_t rows, std::size_t columns, std::size_t output) {
        lanes<T> most = first;
        for (std::size_t r = 0; r < rows; ++r) {
          for (std::size_t c = 0; c < columns; ++c) most = larger(in[at + r * W + c], most);
        }
        out[output] = most;
        made(most);
      });
    };
    lanes<T> low{};  // the squares without a finite number
    fold(lowest, [](const lanes<T>& here, const lanes<T>& most) { return greater(here, most); },
         [&](const lanes<T>& most) { low = where_equal(most, lowest, constant<lanes<T>>(1), low); });
    if (sum(low) == T{}) continue;
    // A square of NaN alone stays one, for the loss to show.
    const auto none = constant<lanes<T>>(std::numeric_limits<double>::quiet_NaN());
    fold(none, [](const lanes<T>& here, const lanes<T>& most) { return where_equal(most, most, greater(here, most), here); },
         [](const lanes<T>&) {});
  }
}

template <class T, std::size_t K, std::size_t S, std::size_t P, std::size_t C, std::size_t H, std::size_t W, class Out>
void backward_inputs(max_pool_t<K, S, P>, inputs_pass<T, in<shape<C, H, W>>, out<Out>> pass) {
  const auto [x] = pass.in;
  const auto [y] = pass.out;
  const auto [d_y] = pass.d_out;
  const auto [d_x] = pass.d_in;
  using all = impl::squares<K, S, P, C, H, W>;
  for (std::size_t g = 0; g < d_y.groups; ++g) {
    lanes<T>* d_in = d_x.group(g);
    const lanes<T>* in = x.group(g);
    const lanes<T>* out = y.group(g);
    const lanes<T>* d_out = d_y.group(g);
    if constexpr (!all::covering) {
      for (std::size_t i = 0; i < C * H * W; ++i) d_in[i] = lanes<T>{};
    }
    all::each([=](std::size_t first, std::size_t rows, std::size_t columns, std::size_t output) {
      lanes<T> left = d_out[output];  // in lanes that have not met their maximum yet
      const lanes<T> most = out[output];
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
          const std::size_t at = first + r * W + c;
          const lanes<T> here = where_equal(in[at], most, left, lanes<T>{});
          left = where_equal(in[at], most, lanes<T>{}, left);
          d_in[at] = all::apart ? here : d_in[at] + here;
        }
      }
    });
  }
}

template <class T, std::size_t K, std::size_t S, std::size_t P, std::size_t C, std::size_t H, std::size_t W, class Out>
void forward(average_pool_t<K, S, P>, forward_pass<T, in<shape<C, H, W>>, out<Out>> pass) {
  const auto [x] = pass.in;
  const auto [y] = pass.out;
  for (std::size_t g = 0; g < x.groups; ++g) {
    const lanes<T>* in = x.group(g);
    lanes<T>* out = y.group(g);
    impl::squares<K, S, P, C, H, W>::each([=](std::size_t first, std::size_t rows, std::size_t columns, std::size_t output) {
      lanes<T> total{};
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) total += in[first + r * W + c];
      }
      out[output] = number<T>(1.0 / (K * K)) * total;
    });
  }
}

template <class T, std::size_t K, std::size_t S, std::size_t P, std::size_t C, std::size_t H, std::size_t W, class Out>
void backward_inputs(average_pool_t<K, S, P>, inputs_pass<T, in<shape<C, H, W>>, out<Out>> pass) {
  const auto [d_y] = pass.d_out;
  const auto [d_x] = pass.d_in;
  for (std::size_t g = 0; g < d_y.groups; ++g) {
    lanes<T>* d_in = d_x.group(g);
    const lanes<T>* d_out = d_y.group(g);
    for (std::size_t i = 0; i < C * H * W; ++i) d_in[i] = lanes<T>{};
    impl::squares<K, S, P, C, H, W>::each([=](std::size_t first, std::size_t rows, std::size_t columns, std::size_t output) {
      const lanes<T> share = number<T>(1.0 / (K * K)) * d_out[output];
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) d_in[first + r * W + c] += share;
      }
    });
  }
}

}  // namespace ipuflow::nn
