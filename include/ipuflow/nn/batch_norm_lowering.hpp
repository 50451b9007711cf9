// SPDX-License-Identifier: BSL-1.0
// Batch norm on tiles: the places of a channel, of all samples, are a row. The running statistics stand beside the
// channels' rows; a pass that is computed again does not change them.
#pragma once

#include <ipuflow/nn/sample_norm_lowering.hpp>

#include <cstddef>
#include <span>

namespace ipuflow::nn {

/// A channel's mean and deviation: of its row while training, running ones otherwise; state is [mean, variance] of each
/// row.
template <class E>
row_moments channel_moments_of(std::span<const E> row, std::span<const float> state, bool training) {
  if (training) return row_moments{row};
  row_moments m;
  m.mean = state[0];
  m.variance = state[1];
  m.invert();
  return m;
}

template <class E>
ipu::codelet batch_norm_codelet(bool training, bool updates) {
  return {
      ipu::name_from("batch norm"), ipu::elementwise_code,
      [training, updates](std::span<const E> x, std::span<const E> scales, std::span<const E> shifts,
                          ipu::inout<float> state, std::span<E> y) {
        const std::size_t width = x.size() / scales.size();
        for (std::size_t c = 0; c < scales.size(); ++c) {
          const std::span<const E> row = x.subspan(c * width, width);
          const std::span<float> running = state.subspan(2 * c, 2);
          const row_moments m = channel_moments_of<E>(row, running, training);
          for (std::size_t i = 0; i < width; ++i)
            y[c * width + i] = E{float{scales[c]} * m.normal(float{row[i]}) + float{shifts[c]}};
          if (!updates) continue;
          const auto count = static_cast<float>(width);
          const auto mix = static_cast<float>(norm_momentum);
          running[0] += mix * (m.mean - running[0]);
          running[1] += mix * (m.variance * (width > 1 ? count / (count - 1) : 1) - running[1]);
        }
      },
      [](const ipu::architecture& chip, ipu::lengths n) { return row_cost(chip, ipu::element_type_of<E>(), n[0], 4); }};
}

/// As for samples; running statistics do not depend on the input.
template <class E>
ipu::codelet batch_norm_gradient_codelet(bool training) {
  return {
      ipu::name_from("batch norm gradient"), ipu::elementwise_code,
      [training](std::span<const E> x, std::span<const E> scales, std::span<const float> state, std::span<const E> d_y,
                 std::span<E> d_x) {
        const std::size_t width = x.size() / scales.size();
        for (std::size_t c = 0; c < scales.size(); ++c) {
          const std::size_t at = c * width;
          const row_moments m = channel_moments_of<E>(x.subspan(at, width), state.subspan(2 * c, 2), training);
          float mean = 0, along = 0;
          for (std::size_t i = at; training && i < at + width; ++i) {
            mean += float{d_y[i]};
            along += float{d_y[i]} * m.normal(float{x[i]});
          }
          mean /= static_cast<float>(width);
          along /= static_cast<float>(width);
          const float scale = float{scales[c]} * m.inverse;
          for (std::size_t i = at; i < at + width; ++i)
            d_x[i] = E{scale * (float{d_y[i]} - mean - m.normal(float{x[i]}) * along)};
        }
      },
      [](const ipu::architecture& chip, ipu::lengths n) { return row_cost(chip, ipu::element_type_of<E>(), n[0], 7); }};
}

template <class E>
ipu::codelet batch_norm_weight_codelet(bool training) {
  return {
      ipu::name_from("batch norm of weights"), ipu::elementwise_code,
      [training](std::span<const E> x, std::span<const float> state, std::span<const E> d_y, ipu::inout<float> d_scales,
                 ipu::inout<float> d_shifts) {
        const std::size_t width = x.size() / d_scales.size();
        for (std::size_t c = 0; c < d_scales.size(); ++c) {
          const std::size_t at = c * width;
          const row_moments m = channel_moments_of<E>(x.subspan(at, width), state.subspan(2 * c, 2), training);
          float scale = 0, shift = 0;
          for (std::size_t i = at; i < at + width; ++i) {
            scale += float{d_y[i]} * m.normal(float{x[i]});
            shift += float{d_y[i]};
          }
          d_scales[c] += scale;
          d_shifts[c] += shift;
        }
      },
      [](const ipu::architecture& chip, ipu::lengths n) { return row_cost(chip, ipu::element_type_of<E>(), n[0], 5); }};
}

template <class E, std::size_t C, std::size_t... Extent>
ipu::step lower_forward(batch_norm_t, const lowering& l, on_tiles<E, shape<C, Extent...>> x,
                        on_tiles<E, shape<C, Extent...>> y) {
  const ipu::arranged scales = l.as(l.numbers.weights, ipu::element_type_of<E>());
  const ipu::arranged shifts = l.as(l.numbers.biases, ipu::element_type_of<E>());
  return ipu::sequence(
      scales.bring, shifts.bring,
      on_rows(l, "batch norm", C, batch_norm_codelet<E>(l.training, l.training && l.updates_state),
              {read_rows(x.variable, l.samples), read_rows(scales.variable), read_rows(shifts.variable),
               change_rows(l.numbers.state, 2), write_rows(y.variable, l.samples)}));
}

template <class E, std::size_t C, std::size_t... Extent>
ipu::step lower_backward_inputs(batch_norm_t, const lowering& l, on_tiles<E, shape<C, Extent...>> x,
                                on_tiles<E, shape<C, Extent...>>, on_tiles<E, shape<C, Extent...>> d_y,
                                on_tiles<E, shape<C, Extent...>> d_x) {
  const ipu::arranged scales = l.as(l.numbers.weights, ipu::element_type_of<E>());
  return ipu::sequence(scales.bring, on_rows(l, "batch norm gradient", C, batch_norm_gradient_codelet<E>(l.training),
                                             {read_rows(x.variable, l.samples), read_rows(scales.variable),
                                              read_rows(l.numbers.state, 2), read_rows(d_y.variable, l.samples),
                                              write_rows(d_x.variable, l.samples)}));
}

template <class E, std::size_t C, std::size_t... Extent>
ipu::step lower_backward_weights(batch_norm_t, const lowering& l, on_tiles<E, shape<C, Extent...>> x,
                                 on_tiles<E, shape<C, Extent...>>, on_tiles<E, shape<C, Extent...>> d_y) {
  return on_rows(l, "batch norm of weights", C, batch_norm_weight_codelet<E>(l.training),
                 {read_rows(x.variable, l.samples), read_rows(l.numbers.state, 2), read_rows(d_y.variable, l.samples),
                  change_rows(l.numbers.d_weights), change_rows(l.numbers.d_biases)});
}

}  // namespace ipuflow::nn
