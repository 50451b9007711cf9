// SPDX-License-Identifier: BSL-1.0
// Attention as its parts, for what a user puts between them, such as dropout of shares or a bias of scores: scores, shares and the sum
// of values. Scores and shares are those of all heads side by side, positions by heads * positions; unlike `attention` the parts keep
// them for backward.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/kernels/kernel_calls.hpp>
#include <ipuflow/nn/kernels/position_products.hpp>
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/layers/attention_masks.hpp>
#include <ipuflow/nn/layers/softmax.hpp>

#include <cstddef>
#include <tuple>

namespace ipuflow::nn {

template <std::size_t Heads>
struct attention_scores_t {};
/// Each query times each key, over the root of the head's width, of queries, keys and values as `linear<3 * features>` makes them.
template <std::size_t Heads>
  requires(Heads > 0)
inline constexpr attention_scores_t<Heads> attention_scores{};

struct attention_shares_t {};
/// A softmax over the keys of each head.
inline constexpr attention_shares_t attention_shares{};

struct weighted_values_t {};
/// The sum of values, each times its share: `use<"qkv">(nn::weighted_values)`, of what the scores were made of.
inline constexpr weighted_values_t weighted_values{};

template <std::size_t Heads, real_element E, std::size_t P, std::size_t F>
  requires(F % (3 * Heads) == 0)
[[nodiscard]] constexpr tensor<E, P, Heads * P> output_of(attention_scores_t<Heads>, tensor<E, P, F>) {
  return {};
}
template <real_element E, std::size_t P, std::size_t S>
  requires impl::scores_of_heads<P, S>
[[nodiscard]] constexpr tensor<E, P, S> output_of(attention_shares_t, tensor<E, P, S>) {
  return {};
}
template <real_element E, std::size_t P, std::size_t S, std::size_t F>
  requires(impl::scores_of_heads<P, S> && F % (3 * S / P) == 0)
[[nodiscard]] constexpr tensor<E, P, F / 3> output_of(weighted_values_t, tensor<E, P, S>, tensor<E, P, F>) {
  return {};
}

template <std::size_t Heads, real_element E, std::size_t P, std::size_t F>
[[nodiscard]] constexpr layer_facts facts(attention_scores_t<Heads>, tensor<E, P, F>) {
  return {.forward_work = P * P * (F / 3), .input_work = 2 * P * P * (F / 3)};
}
template <real_element E, std::size_t P, std::size_t S>
[[nodiscard]] constexpr layer_facts facts(attention_shares_t, tensor<E, P, S>) {
  return facts(softmax, tensor<E, P, S>{});
}
template <real_element E, std::size_t P, std::size_t S, std::size_t F>
[[nodiscard]] constexpr layer_facts facts(weighted_values_t, tensor<E, P, S>, tensor<E, P, F>) {
  return {.forward_work = P * P * (F / 3), .input_work = 2 * P * P * (F / 3)};
}

namespace impl {

/// The matrices of one head, for one sample after another: three of positions by `width`, and two of positions by positions.
template <class T, std::size_t Heads, std::size_t P, std::size_t F>
struct head_matrices {
  using wide = wide_number<T>;
  static constexpr std::size_t features = F / 3, width = features / Heads;
  using dots = position_product<wide, P, width, P>;
  using mix = position_product<wide, P, P, width>;

  dynamic_array<lanes<wide>> room{groups_for(P) * (3 * width + 2 * P)};
  lanes<wide>* const first = room.data();
  lanes<wide>* const second = first + groups_for(P) * width;
  lanes<wide>* const third = second + groups_for(P) * width;
  lanes<wide>* const square = third + groups_for(P) * width;
  lanes<wide>* const turned = square + groups_for(P) * P;

  /// `visit(head, columns...)` for every head of every sample, with the sample of each batch.
  template <class Visit, class... Number, std::size_t... Features>
  static void each(Visit visit, batch<Number, shape<P, Features>>... of) {
    const std::size_t samples = std::get<0>(std::tuple{of...}).samples;
    for (std::size_t sample = 0; sample < samples; ++sample)
      for (std::size_t head = 0; head < Heads; ++head) visit(head, position_columns<Number, P, Features>{of, sample}...);
  }

  static wide scale() { return number<wide>(1 / square_root(static_cast<double>(width))); }
};

}  // namespace impl

template <std::size_t Heads, class T, std::size_t P, std::size_t F, std::size_t S>
void forward(attention_scores_t<Heads>, forward_pass<T, in<shape<P, F>>, out<shape<P, S>>> pass) {
  using matrices = impl::head_matrices<T, Heads, P, F>;
  constexpr std::size_t width = matrices::width, features = matrices::features;
  const matrices m;
  clear(get<0>(pass.out));
  const auto one_head = [&](std::size_t head, const auto& x, const auto& y) {
    x.template load<width>(head * width, m.scale(), m.first);
    x.template load<width>(features + head * width, 1, m.second);
    matrices::dots::run_turned(m.first, m.second, m.square);
    y.template store<P>(head * P, m.square);
  };
  m.each(one_head, get<0>(pass.in), get<0>(pass.out));
}

template <std::size_t Heads, class T, std::size_t P, std::size_t F, std::size_t S>
void backward_inputs(attention_scores_t<Heads>, inputs_pass<T, in<shape<P, F>>, out<shape<P, S>>> pass) {
  using matrices = impl::head_matrices<T, Heads, P, F>;
  constexpr std::size_t width = matrices::width, features = matrices::features;
  const matrices m;
  clear(get<0>(pass.d_in));
  const auto one_head = [&](std::size_t head, const auto& x, const auto& d_y, const auto& d_x) {
    x.template load<width>(head * width, 1, m.first);
    x.template load<width>(features + head * width, 1, m.second);
    d_y.template load<P>(head * P, m.scale(), m.square);
    impl::turn_positions<P, P>(m.square, m.turned);
    matrices::mix::run(m.square, m.second, m.third);
    d_x.template store<width>(head * width, m.third);
    matrices::mix::run(m.turned, m.first, m.third);
    d_x.template store<width>(features + head * width, m.third);
  };
  m.each(one_head, get<0>(pass.in), get<0>(pass.d_out), get<0>(pass.d_in));
}

template <class T, std::size_t P, std::size_t S>
void forward(attention_shares_t, forward_pass<T, in<shape<P, S>>, out<shape<P, S>>> pass) {
  const auto x = rows_of(get<0>(pass.in));
  const auto y = rows_of(get<0>(pass.out));
  for (std::size_t g = 0; g < x.groups; ++g)
    for (std::size_t head = 0; head < S; head += P) impl::softmax_of(x.group(g) + head, P, y.group(g) + head);
}
template <class T, std::size_t P, std::size_t S>
void backward_inputs(attention_shares_t, inputs_pass<T, in<shape<P, S>>, out<shape<P, S>>> pass) {
  const auto y = rows_of(get<0>(pass.out));
  const auto d_y = rows_of(get<0>(pass.d_out));
  const auto d_x = rows_of(get<0>(pass.d_in));
  for (std::size_t g = 0; g < y.groups; ++g)
    for (std::size_t head = 0; head < S; head += P) impl::softmax_gradient(y.group(g) + head, d_y.group(g) + head, P, d_x.group(g) + head);
}

template <class T, std::size_t P, std::size_t S, std::size_t F, std::size_t O>
void forward(weighted_values_t, forward_pass<T, in<shape<P, S>, shape<P, F>>, out<shape<P, O>>> pass) {
  using matrices = impl::head_matrices<T, S / P, P, F>;
  constexpr std::size_t width = matrices::width, features = matrices::features;
  const matrices m;
  clear(get<0>(pass.out));
  const auto one_head = [&](std::size_t head, const auto& shares, const auto& x, const auto& y) {
    shares.template load<P>(head * P, 1, m.square);
    x.template load<width>(2 * features + head * width, 1, m.first);
    matrices::mix::run(m.square, m.first, m.second);
    y.template store<width>(head * width, m.second);
  };
  m.each(one_head, get<0>(pass.in), get<1>(pass.in), get<0>(pass.out));
}

/// Either gradient may be unwanted.
template <class T, std::size_t P, std::size_t S, std::size_t F, std::size_t O>
void backward_inputs(weighted_values_t, inputs_pass<T, in<shape<P, S>, shape<P, F>>, out<shape<P, O>>> pass) {
  using matrices = impl::head_matrices<T, S / P, P, F>;
  constexpr std::size_t width = matrices::width, features = matrices::features;
  const auto [d_shares, d_x] = pass.d_in;
  const matrices m;
  const auto back_to_shares = [&](std::size_t head, const auto& x, const auto& d_y, const auto& d_s) {
    d_y.template load<width>(head * width, 1, m.first);
    x.template load<width>(2 * features + head * width, 1, m.second);
    matrices::dots::run_turned(m.first, m.second, m.square);
    d_s.template store<P>(head * P, m.square);
  };
  const auto back_to_values = [&](std::size_t head, const auto& shares, const auto& d_y, const auto& d_v) {
    d_y.template load<width>(head * width, 1, m.first);
    shares.template load<P>(head * P, 1, m.square);
    impl::turn_positions<P, P>(m.square, m.turned);
    matrices::mix::run(m.turned, m.first, m.second);
    d_v.template store<width>(2 * features + head * width, m.second);
  };
  if (d_shares.wanted()) {
    clear(d_shares);
    m.each(back_to_shares, get<1>(pass.in), get<0>(pass.d_out), d_shares);
  }
  if (d_x.wanted()) {
    clear(d_x);
    m.each(back_to_values, get<0>(pass.in), get<0>(pass.d_out), d_x);
  }
}

}  // namespace ipuflow::nn
