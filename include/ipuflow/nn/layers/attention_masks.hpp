// SPDX-License-Identifier: BSL-1.0
// Masks of attention's scores, which are those of all heads side by side: positions by heads * positions, in which a query has a
// number for each key. A key that the query does not see gets a score so low that its share is zero.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/kernels/sample_mask.hpp>
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/simd/half_lanes.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <concepts>
#include <cstddef>

namespace ipuflow::nn {

struct causal_mask_t {};
/// A query sees its own position and those before.
inline constexpr causal_mask_t causal_mask{};

struct segment_mask_t {};
/// A query sees keys of its own number: `use<"text">(nn::segment_mask)`, for packed sequences and for padding.
inline constexpr segment_mask_t segment_mask{};

namespace impl {

template <std::size_t Positions, std::size_t Scores>
concept scores_of_heads = Scores % Positions == 0;

/// The score of a key that is not seen: the lowest half, so that every type has it.
inline constexpr float hidden_score = -65504;

}  // namespace impl

template <real_element E, std::size_t P, std::size_t S>
  requires impl::scores_of_heads<P, S>
[[nodiscard]] constexpr tensor<E, P, S> output_of(causal_mask_t, tensor<E, P, S>) {
  return {};
}
template <real_element E, std::size_t P, std::size_t S, std::integral Segment>
  requires impl::scores_of_heads<P, S>
[[nodiscard]] constexpr tensor<E, P, S> output_of(segment_mask_t, tensor<E, P, S>, tensor<Segment, P>) {
  return {};
}

template <real_element E, std::size_t P, std::size_t S>
[[nodiscard]] constexpr layer_facts facts(causal_mask_t, tensor<E, P, S>) {
  return {.forward_work = P * S, .input_work = P * S, .inputs_need_input = false};
}
/// Backward reads the numbers, too.
template <real_element E, std::size_t P, std::size_t S, std::integral Segment>
[[nodiscard]] constexpr layer_facts facts(segment_mask_t, tensor<E, P, S>, tensor<Segment, P>) {
  return {.forward_work = P * S, .input_work = P * S};
}

namespace impl {

/// y = x where the query sees the key, and `otherwise` elsewhere; `sees(sample, query, key)`.
template <class T, std::size_t P, std::size_t S, class Sees>
void keep_seen(batch<const T, shape<P, S>> from, batch<T, shape<P, S>> to, T otherwise, Sees sees) {
  const auto x = rows_of(from);
  const auto y = rows_of(to);
  const lanes<T> one = lanes<T>::all(number<T>(1)), other = lanes<T>::all(otherwise);
  dynamic_array<lanes<T>> seen(P);  // of every head the same
  for (std::size_t g = 0; g < x.groups; ++g) {
    for (std::size_t key = 0; key < P; ++key) {
      seen[key] = lanes<T>{};
      for (std::size_t l = 0; l < x.samples_in(g); ++l) {
        const std::size_t row = g * lane_count + l;
        if (sees(row / P, row % P, key)) seen[key].set(l, number<T>(1));
      }
    }
    for (std::size_t i = 0; i < S; ++i) y.group(g)[i] = where_equal(seen[i % P], one, x.group(g)[i], other);
  }
  zero_padding(to);
}

inline constexpr auto sees_before = [](std::size_t, std::size_t query, std::size_t key) { return key <= query; };

template <class Segment, std::size_t P>
auto sees_segment(batch<const Segment, shape<P>> of) {
  return [of](std::size_t sample, std::size_t query, std::size_t key) {
    const auto* const numbers = of.group(sample / lane_count);
    return numbers[query][sample % lane_count] == numbers[key][sample % lane_count];
  };
}

}  // namespace impl

template <class T, std::size_t P, std::size_t S>
void forward(causal_mask_t, forward_pass<T, in<shape<P, S>>, out<shape<P, S>>> pass) {
  impl::keep_seen(get<0>(pass.in), get<0>(pass.out), number<T>(impl::hidden_score), impl::sees_before);
}
template <class T, std::size_t P, std::size_t S>
void backward_inputs(causal_mask_t, inputs_pass<T, in<shape<P, S>>, out<shape<P, S>>> pass) {
  impl::keep_seen(get<0>(pass.d_out), get<0>(pass.d_in), T{}, impl::sees_before);
}

template <class T, std::size_t P, std::size_t S, class Segment>
void forward(segment_mask_t, forward_pass<T, in<shape<P, S>, tensor<Segment, P>>, out<shape<P, S>>> pass) {
  impl::keep_seen(get<0>(pass.in), get<0>(pass.out), number<T>(impl::hidden_score), impl::sees_segment(get<1>(pass.in)));
}
template <class T, std::size_t P, std::size_t S, class Segment>
void backward_inputs(segment_mask_t, inputs_pass<T, in<shape<P, S>, tensor<Segment, P>>, out<shape<P, S>>> pass) {
  impl::keep_seen(get<0>(pass.d_out), get<0>(pass.d_in), T{}, impl::sees_segment(get<1>(pass.in)));
}

}  // namespace ipuflow::nn
