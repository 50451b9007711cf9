// SPDX-License-Identifier: BSL-1.0
// Layer and group norm on tiles: each segment of a sample is a row. The gradients of scales and shifts are found for
// each sample first and then added up.
#pragma once

#include <ipuflow/ipu/ops/reduce.hpp>
#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/lowerings/row_lowering.hpp>

#include <cstddef>
#include <span>

namespace ipuflow::nn {

namespace impl {

/// A sample in segments that are normalised apart, and in runs of one scale and shift each.
struct segment_shape {
  std::size_t elements = 1;
  std::size_t segments = 1;
  std::size_t scales = 1;

  constexpr std::size_t segment() const { return elements / segments; }
  constexpr std::size_t run() const { return elements / scales; }
  /// Of row `row`, element `i`: which scale.
  constexpr std::size_t scale_of(std::size_t row, std::size_t i) const {
    return (row % segments * segment() + i) / run();
  }
};

template <std::size_t Segments, std::size_t Scales, std::size_t Elements>
constexpr segment_shape segments_of(sample_norm<Segments, Scales, Elements>) {
  return {Elements, Segments, Scales};
}

/// Of the numbers of a row.
template <class E>
moments<float> moments_of(std::span<const E> row) {
  const auto count = static_cast<float>(row.size());
  float sum = 0, squares = 0;
  for (const E x : row) sum += float{x};
  const float mean = sum / count;
  for (const E x : row) squares += (float{x} - mean) * (float{x} - mean);
  return {mean, squares / count};
}

template <class E>
ipu::codelet norm_codelet(const segment_shape& s) {
  return {
      ipu::name_from("norm"), ipu::elementwise_code,
      [s](std::size_t first_row, std::span<const E> x, std::span<const E> scales, std::span<const E> shifts,
                 std::span<E> y) {
        for (std::size_t r = 0; r * s.segment() < x.size(); ++r) {
          const std::span<const E> row = x.subspan(r * s.segment(), s.segment());
          const moments<float> m = moments_of(row);
          for (std::size_t i = 0; i < row.size(); ++i) {
            const std::size_t scale = s.scale_of(first_row + r, i);
            y[r * s.segment() + i] = E{float{scales[scale]} * m.normal(float{row[i]}) + float{shifts[scale]}};
          }
        }
      },
      [](const ipu::architecture& chip, ipu::lengths n) { return row_cost(chip, ipu::element_type_of<E>(), n[0], 4); }};
}

/// With g = scale * gradient: (g - mean(g) - n * mean(g * n)) / deviation.
template <class E>
ipu::codelet norm_gradient_codelet(const segment_shape& s) {
  return {
      ipu::name_from("norm gradient"), ipu::elementwise_code,
      [s](std::size_t first_row, std::span<const E> x, std::span<const E> scales, std::span<const E> d_y,
                 std::span<E> d_x) {
        for (std::size_t r = 0; r * s.segment() < x.size(); ++r) {
          const std::size_t at = r * s.segment();
          const moments<float> m = moments_of(x.subspan(at, s.segment()));
          const auto slope = [&](std::size_t i) {
            return float{scales[s.scale_of(first_row + r, i)]} * float{d_y[at + i]};
          };
          float mean = 0, along = 0;
          for (std::size_t i = 0; i < s.segment(); ++i) {
            mean += slope(i);
            along += slope(i) * m.normal(float{x[at + i]});
          }
          mean /= static_cast<float>(s.segment());
          along /= static_cast<float>(s.segment());
          for (std::size_t i = 0; i < s.segment(); ++i)
            d_x[at + i] = E{(slope(i) - mean - m.normal(float{x[at + i]}) * along) * m.inverse};
        }
      },
      [](const ipu::architecture& chip, ipu::lengths n) { return row_cost(chip, ipu::element_type_of<E>(), n[0], 7); }};
}

/// For each row and each run in it: sums of gradient * n, and of the gradient.
template <class E>
ipu::codelet norm_weight_codelet(const segment_shape& s) {
  return {
      ipu::name_from("norm of weights"), ipu::elementwise_code,
      [s](std::span<const E> x, std::span<const E> d_y, std::span<float> d_scales, std::span<float> d_shifts) {
        for (std::size_t i = 0; i < x.size(); i += s.segment()) {
          const moments<float> m = moments_of(x.subspan(i, s.segment()));
          for (std::size_t first = i; first < i + s.segment(); first += s.run()) {
            float scale = 0, shift = 0;
            for (std::size_t k = first; k < first + s.run(); ++k) {
              scale += float{d_y[k]} * m.normal(float{x[k]});
              shift += float{d_y[k]};
            }
            d_scales[first / s.run()] = scale;
            d_shifts[first / s.run()] = shift;
          }
        }
      },
      [](const ipu::architecture& chip, ipu::lengths n) { return row_cost(chip, ipu::element_type_of<E>(), n[0], 5); }};
}

template <class E>
ipu::step norm_forward(const lowering& l, const segment_shape& s, ipu::variable_id x, ipu::variable_id y) {
  const std::size_t rows = l.samples * s.segments;
  const ipu::arranged scales = l.as(l.numbers.weights, ipu::element_type_of<E>());
  const ipu::arranged shifts = l.as(l.numbers.biases, ipu::element_type_of<E>());
  return ipu::sequence(
      scales.bring, shifts.bring,
      on_rows(l, "norm", rows, norm_codelet<E>(s),
              {read_rows(x), everywhere(scales.variable), everywhere(shifts.variable), write_rows(y)}));
}

template <class E>
ipu::step norm_backward_inputs(const lowering& l, const segment_shape& s, ipu::variable_id x, ipu::variable_id d_y,
                               ipu::variable_id d_x) {
  const std::size_t rows = l.samples * s.segments;
  const ipu::arranged scales = l.as(l.numbers.weights, ipu::element_type_of<E>());
  return ipu::sequence(scales.bring,
                       on_rows(l, "norm gradient", rows, norm_gradient_codelet<E>(s),
                               {read_rows(x), everywhere(scales.variable), read_rows(d_y), write_rows(d_x)}));
}

template <class E>
ipu::step norm_backward_weights(const lowering& l, const segment_shape& s, ipu::variable_id x, ipu::variable_id d_y) {
  const ipu::variable_id scales = l.temporary("scales", ipu::element_type::f32, l.samples * s.scales);
  const ipu::variable_id shifts = l.temporary("shifts", ipu::element_type::f32, l.samples * s.scales);
  ipu::step program = ipu::sequence(on_rows(l, "norm of weights", l.samples * s.segments, norm_weight_codelet<E>(s),
                                            {read_rows(x), read_rows(d_y), write_rows(scales), write_rows(shifts)}));
  const auto add_up = [&](ipu::variable_id of_samples, ipu::variable_id trained, ipu::variable_id gradient) {
    const ipu::variable_id more = l.more_of(trained);
    program.then(ipu::reduce(l.g, ipu::reduce_operation::sum, {1, l.samples, s.scales}, of_samples, more, l.where));
    program.then(l.add_to(gradient, more));
  };
  add_up(scales, l.numbers.weights, l.numbers.d_weights);
  add_up(shifts, l.numbers.biases, l.numbers.d_biases);
  return program;
}

}  // namespace impl

template <class Layer, class E, std::size_t... Extent>
  requires impl::normalises_samples<Layer, impl::row_shape<tensor<E, Extent...>>>
ipu::step lower_forward(Layer layer, const forward_lowering<in<tensor<E, Extent...>>, out<tensor<E, Extent...>>>& l) {
  return impl::norm_forward<E>(impl::of_rows<tensor<E, Extent...>>(l), impl::segments_of(impl::norm_of(layer, impl::row_shape<tensor<E, Extent...>>{})), l.in[0], l.out[0]);
}

template <class Layer, class E, std::size_t... Extent>
  requires impl::normalises_samples<Layer, impl::row_shape<tensor<E, Extent...>>>
ipu::step lower_backward_inputs(Layer layer,
                                const inputs_lowering<in<tensor<E, Extent...>>, out<tensor<E, Extent...>>>& l) {
  return impl::norm_backward_inputs<E>(impl::of_rows<tensor<E, Extent...>>(l), impl::segments_of(impl::norm_of(layer, impl::row_shape<tensor<E, Extent...>>{})), l.in[0], l.d_out[0], l.d_in[0]);
}

template <class Layer, class E, std::size_t... Extent>
  requires impl::normalises_samples<Layer, impl::row_shape<tensor<E, Extent...>>>
ipu::step lower_backward_weights(Layer layer,
                                 const weights_lowering<in<tensor<E, Extent...>>, out<tensor<E, Extent...>>>& l) {
  return impl::norm_backward_weights<E>(impl::of_rows<tensor<E, Extent...>>(l), impl::segments_of(impl::norm_of(layer, impl::row_shape<tensor<E, Extent...>>{})), l.in[0], l.d_out[0]);
}

}  // namespace ipuflow::nn
