// SPDX-License-Identifier: BSL-1.0
// The same numbers in another type: bytes and other whole numbers become real where the network needs them, so until there
// they travel as what they are. No gradient flows into whole numbers.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/simd/half_lanes.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow::nn {

template <real_element To>
struct cast_t {};
/// PyTorch's `.to(dtype)`: `cast<float>`.
template <real_element To>
inline constexpr cast_t<To> cast{};

template <real_element To, element E, std::size_t... Extent>
[[nodiscard]] constexpr tensor<To, Extent...> output_of(cast_t<To>, tensor<E, Extent...>) {
  return {};
}

template <real_element To, element E, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(cast_t<To>, tensor<E, Extent...>) {
  constexpr bool same = std::is_same_v<E, To>;
  constexpr std::size_t work = same ? 0 : shape<Extent...>::elements;
  return {.forward_work = work, .input_work = work, .inputs_need_input = false, .same_memory = same, .same_gradient = same};
}

namespace impl {

/// Numbers as those that are computed with: real values are already.
template <class T, class X>
[[gnu::always_inline]] inline lanes<T> in_numbers(const lanes<X>& x) {
  if constexpr (std::is_same_v<T, X>) {
    return x;
  } else if constexpr (std::is_same_v<T, half>) {
    return {rounded(in_numbers<float>(x))};
  } else {
    return {__builtin_convertvector(x.v, typename lanes<T>::vector)};
  }
}

}  // namespace impl

template <real_element To, class T, class In, class Out>
void forward(cast_t<To>, forward_pass<T, in<In>, out<Out>> pass) {
  const auto [x] = pass.in;
  const auto [y] = pass.out;
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = impl::in_numbers<T>(x[i]);
}

template <real_element To, class T, class Shape>
void backward_inputs(cast_t<To>, inputs_pass<T, in<Shape>, out<Shape>> pass) {
  const auto [d_y] = pass.d_out;
  const auto [d_x] = pass.d_in;
  for (std::size_t i = 0; i < d_y.size(); ++i) d_x[i] = d_y[i];
}

}  // namespace ipuflow::nn
