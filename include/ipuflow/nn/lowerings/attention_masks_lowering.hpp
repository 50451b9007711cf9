// SPDX-License-Identifier: BSL-1.0
// Masks of attention's scores on tiles: whole rows on a tile, each the keys of one query and head.
#pragma once

#include <ipuflow/nn/layers/attention_masks.hpp>
#include <ipuflow/nn/lowerings/row_lowering.hpp>

#include <cstddef>
#include <span>

namespace ipuflow::nn {

namespace impl {

/// Numbers of the keys that are seen, as they are, and `otherwise` for others; `sees(first position of the sample, query, key)`.
template <class E, class Sees>
void keep_seen_rows(std::size_t positions, std::size_t heads, float otherwise, std::size_t first_row, std::span<const E> x,
                    std::span<E> y, Sees sees) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t query = (first_row + i / positions) / heads;  // of all samples
    const bool seen = sees(query / positions * positions, query % positions, i % positions);
    y[i] = seen ? x[i] : E{otherwise};
  }
}

template <class E>
inline constexpr auto mask_cost = [](const ipu::architecture& chip, ipu::lengths n) {
  return row_cost(chip, ipu::element_type_of<E>(), n[0], 1);
};

template <class E>
ipu::codelet causal_mask_codelet(std::size_t positions, std::size_t heads, float otherwise) {
  return {ipu::name_from("causal mask"), ipu::elementwise_code,
          [=](std::size_t first_row, std::span<const E> x, std::span<E> y) {
            keep_seen_rows(positions, heads, otherwise, first_row, x, y, sees_before);
          },
          mask_cost<E>};
}

template <class E, class Segment>
ipu::codelet segment_mask_codelet(std::size_t positions, std::size_t heads, float otherwise) {
  return {ipu::name_from("segment mask"), ipu::elementwise_code,
          [=](std::size_t first_row, std::span<const E> x, std::span<const Segment> segments, std::span<E> y) {
            keep_seen_rows(positions, heads, otherwise, first_row, x, y, [&](std::size_t sample, std::size_t query, std::size_t key) {
              return segments[sample + query] == segments[sample + key];
            });
          },
          mask_cost<E>};
}

}  // namespace impl

template <class E, std::size_t P, std::size_t S>
ipu::step lower_forward(causal_mask_t, const forward_lowering<in<tensor<E, P, S>>, out<tensor<E, P, S>>>& l) {
  return on_rows(l, "causal mask", l.samples * S, impl::causal_mask_codelet<E>(P, S / P, impl::hidden_score),
                 {read_rows(l.in[0]), write_rows(l.out[0])});
}
template <class E, std::size_t P, std::size_t S>
ipu::step lower_backward_inputs(causal_mask_t, const inputs_lowering<in<tensor<E, P, S>>, out<tensor<E, P, S>>>& l) {
  return on_rows(l, "causal mask gradient", l.samples * S, impl::causal_mask_codelet<E>(P, S / P, 0),
                 {read_rows(l.d_out[0]), write_rows(l.d_in[0])});
}

template <class E, std::size_t P, std::size_t S, class Segment>
ipu::step lower_forward(segment_mask_t,
                        const forward_lowering<in<tensor<E, P, S>, tensor<Segment, P>>, out<tensor<E, P, S>>>& l) {
  return on_rows(l, "segment mask", l.samples * S, impl::segment_mask_codelet<E, Segment>(P, S / P, impl::hidden_score),
                 {read_rows(l.in[0]), everywhere(l.in[1]), write_rows(l.out[0])});
}
template <class E, std::size_t P, std::size_t S, class Segment>
ipu::step lower_backward_inputs(segment_mask_t,
                                const inputs_lowering<in<tensor<E, P, S>, tensor<Segment, P>>, out<tensor<E, P, S>>>& l) {
  return on_rows(l, "segment mask gradient", l.samples * S, impl::segment_mask_codelet<E, Segment>(P, S / P, 0),
                 {read_rows(l.d_out[0]), everywhere(l.in[1]), write_rows(l.d_in[0])});
}

}  // namespace ipuflow::nn
