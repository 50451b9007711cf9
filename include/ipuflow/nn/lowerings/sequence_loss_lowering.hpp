// SPDX-License-Identifier: BSL-1.0
// The cross-entropy of a sequence on tiles: whole positions on a tile, and a mean over those of each sample. Mean squared error needs
// nothing of its own: on tiles a sequence lies sample after sample.
#pragma once

#include <ipuflow/ipu/ops/reduce.hpp>
#include <ipuflow/nn/layers/sequence_loss.hpp>
#include <ipuflow/nn/lowerings/loss_lowering.hpp>

#include <cstddef>
#include <span>

namespace ipuflow::nn {

namespace impl {

/// to[i] = scale * from[i / each], for a gradient that goes to each position of a sample, or for a sum that becomes a mean.
template <class = void>
inline ipu::codelet scaled_codelet(std::size_t each, float scale) {
  return {ipu::name_from("scaled"), ipu::elementwise_code,
          [each, scale](std::size_t first, std::span<const float> from, std::span<float> to) {
            for (std::size_t i = 0; i < to.size(); ++i) to[i] = scale * from[(first + i) / each];
          },
          [](const ipu::architecture& chip, ipu::lengths n) { return row_cost(chip, ipu::element_type::f32, n[1], 1); }};
}

}  // namespace impl

template <impl::classifies Layer, class E, std::size_t P, std::size_t C, class Label>
ipu::step lower_forward(Layer layer,
                        const forward_lowering<in<tensor<E, P, C>, tensor<Label, P>>, out<tensor<E, P, C>, tensor<float>>>& l) {
  const auto [x, labels] = l.in;
  const std::size_t rows = l.samples * P;
  const ipu::variable_id losses = l.temporary("losses", ipu::element_type::f32, rows);
  const ipu::variable_id sums = l.temporary("loss sums", ipu::element_type::f32, l.samples);
  return ipu::sequence(on_rows(l, "cross-entropy", rows, impl::cross_entropy_codelet<E, Label>(layer, C, P),
                               {read_rows(x), read_rows(labels), write_rows(losses)}),
                       ipu::reduce(l.g, ipu::reduce_operation::sum, {l.samples, P, 1}, losses, sums, l.where),
                       on_rows(l, "mean loss", l.samples, impl::scaled_codelet(1, 1 / static_cast<float>(P)),
                               {everywhere(sums), write_rows(l.out[1])}));
}

template <impl::classifies Layer, class E, std::size_t P, std::size_t C, class Label>
ipu::step lower_backward_inputs(Layer layer,
                                const inputs_lowering<in<tensor<E, P, C>, tensor<Label, P>>, out<tensor<E, P, C>, tensor<float>>>& l) {
  const auto [x, labels] = l.in;
  const std::size_t rows = l.samples * P;
  const ipu::variable_id d_losses = l.temporary("d losses", ipu::element_type::f32, rows);
  return ipu::sequence(on_rows(l, "mean loss gradient", rows, impl::scaled_codelet(P, 1 / static_cast<float>(P)),
                               {everywhere(l.d_out[1]), write_rows(d_losses)}),
                       on_rows(l, "cross-entropy gradient", rows, impl::cross_entropy_gradient_codelet<E, Label>(layer, C),
                               {read_rows(x), read_rows(labels), read_rows(d_losses), write_rows(l.d_in[0])}));
}

}  // namespace ipuflow::nn
