// SPDX-License-Identifier: BSL-1.0
// (x - mean) / deviation with constants for each channel, PyTorch's `Normalize`. Bytes are pixels, from 0 to 255 for 0 to 1
// (`ToTensor`), and become floats here: a network that begins like this is fed with bytes.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/kernels/sample_mask.hpp>
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/layers/cast.hpp>
#include <ipuflow/nn/nn_fault.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ipuflow::nn {

/// A number for each channel: `channels{0.485, 0.456, 0.406}`.
template <std::size_t Count>
struct channels {
  double each[Count];

  static constexpr std::size_t count = Count;
};
template <std::convertible_to<double>... Number>
channels(Number...) -> channels<sizeof...(Number)>;

template <channels Mean, channels Deviation>
struct normalise_t {};

namespace impl {

constexpr channels<1> as_channels(double number) { return {{number}}; }
template <std::size_t Count>
constexpr channels<Count> as_channels(const channels<Count>& numbers) {
  return numbers;
}

template <std::size_t Means, std::size_t Deviations>
constexpr nn_fault verify(const channels<Means>& of, const channels<Deviations>& by) {
  if (Means != Deviations && Means != 1 && Deviations != 1) return {nn_wrong::channels_differ, Means, Deviations};
  constexpr double least = std::numeric_limits<float>::min(), most = std::numeric_limits<float>::max();
  for (std::size_t c = 0; c < Deviations; ++c) {  // 1 / deviation and 255 * deviation are floats
    if (!(by.each[c] >= least && by.each[c] <= most / 255)) return {nn_wrong::no_deviation, c};
  }
  for (std::size_t c = 0; c < Means || c < Deviations; ++c) {
    const double mean = of.each[Means == 1 ? 0 : c], width = by.each[Deviations == 1 ? 0 : c];
    if (!(mean <= most && -mean <= most && mean <= most * width && -mean <= most * width)) return {nn_wrong::no_mean, c};
  }
  return {};
}

template <channels Mean, channels Deviation>
constexpr normalise_t<Mean, Deviation> normalised_by() {
  constexpr nn_fault found = verify(Mean, Deviation);
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  return {};
}

/// One number is for all channels.
template <std::size_t Numbers>
constexpr bool fits(const channels<Numbers>&, std::size_t channel_count, bool sequence) {
  return Numbers == 1 || (Numbers == channel_count && !sequence);
}

/// The type that elements are normalised to.
template <class E>
using normalised = std::conditional_t<std::is_same_v<E, std::uint8_t>, float, E>;

/// scale * x + shift, as train::scaling has it.
struct channel_rule {
  float scale = 1;
  float shift = 0;
};
template <class E, class Mean, class Deviation>
constexpr channel_rule rule_of(const Mean& mean, const Deviation& deviation, std::size_t channel) {
  const auto centre = static_cast<float>(mean.each[Mean::count == 1 ? 0 : channel]);
  const auto width = static_cast<float>(deviation.each[Deviation::count == 1 ? 0 : channel]);
  constexpr float one = std::is_same_v<E, std::uint8_t> ? 255 : 1;  // what stands for 1
  return {1 / (one * width), -centre / width};
}

/// In float, rounded once; in double where that is computed with.
template <class T>
[[gnu::always_inline]] inline lanes<T> scaled(const lanes<T>& x, const channel_rule& by) {
  if constexpr (std::is_same_v<T, half>) {
    return {rounded(by.scale * x.wide + lanes<float>::all(by.shift))};
  } else {
    return T{by.scale} * x + lanes<T>::all(T{by.shift});
  }
}

/// `shifts`: of values; slopes are only scaled.
template <class E, channels Mean, channels Deviation, class Value, class X, class Y>
void normalise_all(const X& x, const Y& y, bool shifts) {
  constexpr std::size_t channel_count = Value::extent(0);
  constexpr std::size_t plane = Value::elements / channel_count;
  using number = typename std::remove_cvref_t<decltype(y[0])>::value_type;
  if constexpr (sequence_shape<Value>) {
    return normalise_all<E, Mean, Deviation, shape<Value::extent(1)>>(rows_of(x), rows_of(y), shifts);
  }
  for (std::size_t g = 0; g < y.groups; ++g) {
    for (std::size_t c = 0; c < channel_count; ++c) {
      channel_rule by = rule_of<E>(Mean, Deviation, c);
      if (!shifts) by.shift = 0;
      for (std::size_t i = c * plane; i < (c + 1) * plane; ++i) y.group(g)[i] = scaled(in_numbers<number>(x.group(g)[i]), by);
    }
  }
}

/// The type of a value's elements, by what passes call it.
template <class Value>
struct element_in {
  using type = float;
};
template <element E, std::size_t... Extent>
struct element_in<tensor<E, Extent...>> {
  using type = E;
};

}  // namespace impl

/// `normalise<0.1307, 0.3081>` for all channels alike, `normalise<channels{...}, channels{...}>` for each its own.
template <auto Mean, auto Deviation>
inline constexpr auto normalise = impl::normalised_by<impl::as_channels(Mean), impl::as_channels(Deviation)>();

template <channels Mean, channels Deviation, element E, std::size_t C, std::size_t... Extent>
  requires((real_element<E> || std::is_same_v<E, std::uint8_t>) && impl::fits(Mean, C, sizeof...(Extent) == 1) &&
           impl::fits(Deviation, C, sizeof...(Extent) == 1))
[[nodiscard]] constexpr tensor<impl::normalised<E>, C, Extent...> output_of(normalise_t<Mean, Deviation>, tensor<E, C, Extent...>) {
  return {};
}

template <channels Mean, channels Deviation, element E, std::size_t C, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(normalise_t<Mean, Deviation>, tensor<E, C, Extent...>) {
  constexpr std::size_t elements = shape<C, Extent...>::elements;
  return {.forward_work = elements, .input_work = elements, .inputs_need_input = false};
}

template <channels Mean, channels Deviation, class T, class In, class Out>
void forward(normalise_t<Mean, Deviation>, forward_pass<T, in<In>, out<Out>> pass) {
  const auto [x] = pass.in;
  const auto [y] = pass.out;
  impl::normalise_all<typename impl::element_in<In>::type, Mean, Deviation, Out>(x, y, true);
  impl::zero_padding(y);
}

template <channels Mean, channels Deviation, class T, class Shape>
void backward_inputs(normalise_t<Mean, Deviation>, inputs_pass<T, in<Shape>, out<Shape>> pass) {
  const auto [d_y] = pass.d_out;
  const auto [d_x] = pass.d_in;
  impl::normalise_all<float, Mean, Deviation, Shape>(d_y, d_x, false);
}

}  // namespace ipuflow::nn
