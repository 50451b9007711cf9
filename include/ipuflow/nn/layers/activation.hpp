// SPDX-License-Identifier: BSL-1.0
// Functions of each element alone: the shape stays as it is. A new one is a type, its value, and two functions of a `V`,
// lanes of the host or a float on a tile: `value(layer, x)` and `slope(layer, x)`, or of y where `needs_input` is false.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/kernels/sample_mask.hpp>
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace ipuflow::nn {

/// `needs_input`: the slope is computed from the input; otherwise from the output. `operations`: bundles that a worker of
/// a tile takes for two numbers, unless the lowering has a figure of its own; 20 is assumed.
template <bool NeedsInput>
struct activation {
  static constexpr bool needs_input = NeedsInput;
  static constexpr std::size_t operations = 20;
};

struct relu_t : activation<false> {};
struct sigmoid_t : activation<false> {};
struct tanh_t : activation<false> {};
struct gelu_t : activation<true> {};
struct gelu_by_tanh_t : activation<true> {};
struct swish_t : activation<true> {};

inline constexpr relu_t relu{};
inline constexpr sigmoid_t sigmoid{};
inline constexpr tanh_t tanh{};
/// x times the probability that a normal variable is below x; exact, not the approximation by tanh.
inline constexpr gelu_t gelu{};
/// The approximation of it by tanh that GPT-2 has, PyTorch's GELU(approximate="tanh").
inline constexpr gelu_by_tanh_t gelu_by_tanh{};
/// x times its sigmoid, PyTorch's SiLU.
inline constexpr swish_t swish{};

template <bool NeedsInput, real_element E, std::size_t... Extent>
[[nodiscard]] constexpr tensor<E, Extent...> output_of(activation<NeedsInput>, tensor<E, Extent...>) {
  return {};
}

template <bool NeedsInput, real_element E, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(activation<NeedsInput>, tensor<E, Extent...>) {
  constexpr std::size_t elements = shape<Extent...>::elements;
  return {.forward_work = elements,
          .input_work = elements,
          .inputs_need_input = NeedsInput,
          .inputs_need_output = !NeedsInput};
}

template <class V>
[[gnu::always_inline]] inline V value(relu_t, const V& x) {
  return where_greater(V{}, x, V{}, x);  // what is not a number stays so, for the loss to show
}
template <class V>
[[gnu::always_inline]] inline V slope(relu_t, const V& y) {
  return where_greater(y, V{}, constant<V>(1), V{});
}

template <class V>
[[gnu::always_inline]] inline V value(sigmoid_t, const V& x) {
  return math::sigmoid(x);
}
template <class V>
[[gnu::always_inline]] inline V slope(sigmoid_t, const V& y) {
  return y * (constant<V>(1) - y);
}

template <class V>
[[gnu::always_inline]] inline V value(tanh_t, const V& x) {
  return math::tanh(x);
}
template <class V>
[[gnu::always_inline]] inline V slope(tanh_t, const V& y) {
  return constant<V>(1) - y * y;
}

namespace impl {

/// A number below the first end has a gelu or swish of zero, and beyond either their slopes are those there, where infinity
/// would meet a zero.
template <class V>
[[gnu::always_inline]] inline V above_end(const V& x) {
  return where_greater(constant<V>(-1e4), x, constant<V>(-1e4), x);  // asked so that a NaN stays one
}
template <class V>
[[gnu::always_inline]] inline V within_ends(const V& x) {
  return where_greater(x, constant<V>(1e4), constant<V>(1e4), above_end(x));
}

template <class V>
[[gnu::always_inline]] constexpr V root_half() {
  return constant<V>(0.70710678118654752440);
}

/// The probability that a normal variable is below x.
template <class V>
[[gnu::always_inline]] inline V normal_below(const V& x) {
  return constant<V>(0.5) * (constant<V>(1) + math::erf(root_half<V>() * x));
}

template <class Layer>
concept activation_layer = std::derived_from<Layer, activation<Layer::needs_input>>;

}  // namespace impl

template <class V>
[[gnu::always_inline]] inline V value(gelu_t, const V& x) {
  return impl::above_end(x) * impl::normal_below(x);
}
template <class V>
[[gnu::always_inline]] inline V slope(gelu_t, const V& x) {
  const V scaled = impl::root_half<V>() * x;
  const V falling = math::exp(V{} - scaled * scaled);
  return constant<V>(0.5) * (constant<V>(1) + math::erf(scaled, falling)) +
         constant<V>(0.39894228040143267794) * impl::within_ends(x) * falling;
}

namespace impl {

/// Twice the u of x (1 + tanh u) / 2, which is x sigmoid(2 u): x (c + d x^2) with c = sqrt(8 / pi), d = 0.044715 c, and its slope by
/// x. Squares stop where the sigmoid is 0 or 1, so that none overflows.
template <class V>
struct tanh_argument {
  V square;
  [[gnu::always_inline]] explicit tanh_argument(const V& x) : square{x * x} {
    square = where_greater(square, constant<V>(1000), constant<V>(1000), square);
  }
  [[gnu::always_inline]] V at(const V& x) const { return x * (constant<V>(1.5957691216057308) + constant<V>(0.07135481627260025) * square); }
  [[gnu::always_inline]] V slope() const { return constant<V>(1.5957691216057308) + constant<V>(0.21406444881780073) * square; }
};

}  // namespace impl

template <class V>
[[gnu::always_inline]] inline V value(gelu_by_tanh_t, const V& x) {
  return impl::above_end(x) * math::sigmoid(impl::tanh_argument<V>{x}.at(x));
}
template <class V>
[[gnu::always_inline]] inline V slope(gelu_by_tanh_t, const V& x) {
  const impl::tanh_argument<V> u{x};
  const V share = math::sigmoid(u.at(x));
  return share + share * (constant<V>(1) - share) * u.slope() * impl::within_ends(x);
}

template <class V>
[[gnu::always_inline]] inline V value(swish_t, const V& x) {
  return impl::above_end(x) * math::sigmoid(x);
}
template <class V>
[[gnu::always_inline]] inline V slope(swish_t, const V& x) {
  const V share = math::sigmoid(x);
  return share + impl::within_ends(x) * share * (constant<V>(1) - share);
}

namespace impl {

/// to[i] = made(i), but zero in lanes behind the last row: a function need not be finite at what stands there, nor its slope.
template <class T, class Shape, class Make>
void make_each(batch<T, Shape> all, Make made) {
  const auto to = rows_of(all);
  const std::size_t whole = to.samples / lane_count * to.elements;
  for (std::size_t i = 0; i < whole; ++i) to[i] = made(i);
  const lanes<T> there = sample_mask<T>(to.samples % lane_count);
  for (std::size_t i = whole; i < to.size(); ++i) to[i] = where_equal(there, constant<lanes<T>>(1), made(i), lanes<T>{});
}

}  // namespace impl

template <impl::activation_layer Layer, class T, class Shape>
void forward(Layer layer, forward_pass<T, in<Shape>, out<Shape>> pass) {
  const auto x = get<0>(pass.in);
  impl::make_each(get<0>(pass.out), [=](std::size_t i) { return value(layer, x[i]); });
}

template <impl::activation_layer Layer, class T, class Shape>
void backward_inputs(Layer layer, inputs_pass<T, in<Shape>, out<Shape>> pass) {
  const auto seen = get<0>(Layer::needs_input ? pass.in : pass.out);
  const auto d_y = get<0>(pass.d_out);
  impl::make_each(get<0>(pass.d_in), [=](std::size_t i) {
    if constexpr (std::is_same_v<Layer, relu_t>) {
      return where_greater(seen[i], lanes<T>{}, d_y[i], lanes<T>{});  // a product would make infinity a NaN
    } else {
      return d_y[i] * slope(layer, seen[i]);
    }
  });
}

}  // namespace ipuflow::nn
