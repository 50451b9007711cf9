// SPDX-License-Identifier: BSL-1.0
// Losses on tiles: whole samples on a tile, each with its label or target. As on the host the backward pass finds the
// softmax again, and no gradient flows into the predictions but that of the loss.
#pragma once

#include <ipuflow/ipu/ops/softmax.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/lowerings/row_lowering.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace ipuflow::nn {

namespace impl {

/// The loss of each row, in float; some rows are of one sample.
template <class E, class Label = std::int32_t, classifies Layer>
ipu::codelet cross_entropy_codelet(Layer layer, std::size_t classes, std::size_t rows_of_sample = 1) {
  return {ipu::name_from("cross-entropy"), ipu::softmax_code,
          [layer, classes, rows_of_sample](std::size_t first_row, std::span<const E> x, std::span<const Label> labels,
                                           std::span<float> loss) {
            constexpr auto smoothing = static_cast<float>(options_of(Layer{}).smoothing);
            for (std::size_t r = 0; r < labels.size(); ++r) {
              loss[r] = 0;
              if (is_ignored(layer, labels[r])) continue;
              const std::span<const E> row = x.subspan(r * classes, classes);
              const softmax_terms<float> terms{row, classes};
              float wanted = (1 - smoothing) * float{row[checked_label(labels[r], (first_row + r) / rows_of_sample, classes)]};
              for (std::size_t i = 0; smoothing > 0 && i < classes; ++i)
                wanted += smoothing / static_cast<float>(classes) * float{row[i]};
              loss[r] = terms.surprise(wanted);
            }
          },
          [](const ipu::architecture& chip, ipu::lengths n) {
            ipu::vertex_cost cost = ipu::softmax_cost(chip, ipu::element_type_of<E>(), n[0]);
            const ipu::vertex_cost log = ipu::unary_cost(chip, ipu::unary::log, ipu::element_type::f32, n[1]);
            cost.bundles += log.bundles;
            cost.supervisor += log.supervisor;
            if constexpr (options_of(Layer{}).smoothing > 0)
              cost.bundles += ipu::binary_cost(chip, ipu::binary::add, ipu::element_type_of<E>(), n[0]).bundles;
            return cost;
          }};
}

/// (softmax - what is wanted) times the gradient of the row's loss.
template <class E, class Label = std::int32_t, classifies Layer>
ipu::codelet cross_entropy_gradient_codelet(Layer layer, std::size_t classes) {
  return {ipu::name_from("cross-entropy gradient"), ipu::softmax_code,
          [layer, classes](std::span<const E> x, std::span<const Label> labels, std::span<const float> d_loss,
                    std::span<E> d_x) {
            constexpr auto smoothing = static_cast<float>(options_of(Layer{}).smoothing);
            for (std::size_t r = 0; r < labels.size(); ++r) {
              const std::span<const E> row = x.subspan(r * classes, classes);
              const softmax_terms<float> terms{row, classes};
              const bool ignored = is_ignored(layer, labels[r]);
              for (std::size_t i = 0; i < classes; ++i) {
                const float right = i == static_cast<std::size_t>(labels[r]) ? 1 - smoothing : 0;
                const float wanted = right + smoothing / static_cast<float>(classes);
                d_x[r * classes + i] = ignored ? E{} : E{d_loss[r] / terms.sum * terms.exponential(float{row[i]}) - wanted * d_loss[r]};
              }
            }
          },
          [](const ipu::architecture& chip, ipu::lengths n) {
            ipu::vertex_cost cost = ipu::softmax_cost(chip, ipu::element_type_of<E>(), n[0]);
            cost.bundles += ipu::binary_cost(chip, ipu::binary::mul, ipu::element_type_of<E>(), n[0]).bundles;
            return cost;
          }};
}

}  // namespace impl

template <impl::classifies Layer, class E, std::size_t C>
ipu::step lower_forward(Layer layer, const forward_lowering<in<tensor<E, C>, std::int32_t>,
                                                            out<tensor<E, C>, tensor<float>>>& l) {
  const auto [x, labels] = l.in;
  return on_rows(l, "cross-entropy", l.samples, impl::cross_entropy_codelet<E>(layer, C),
                 {read_rows(x), read_rows(labels), write_rows(l.out[1])});
}

template <impl::classifies Layer, class E, std::size_t C>
ipu::step lower_backward_inputs(Layer layer, const inputs_lowering<in<tensor<E, C>, std::int32_t>,
                                                                   out<tensor<E, C>, tensor<float>>>& l) {
  const auto [x, labels] = l.in;
  return on_rows(l, "cross-entropy gradient", l.samples, impl::cross_entropy_gradient_codelet<E>(layer, C),
                 {read_rows(x), read_rows(labels), read_rows(l.d_out[1]), write_rows(l.d_in[0])});
}

namespace impl {

/// The mean of (x - target) squared over each row, in float.
template <class E>
ipu::codelet squared_error_codelet(std::size_t elements) {
  return {
      ipu::name_from("squared error"), ipu::elementwise_code,
      [elements](std::span<const E> x, std::span<const E> target, std::span<float> loss) {
        for (std::size_t r = 0; r < loss.size(); ++r) {
          float total = 0;
          for (std::size_t i = r * elements; i < (r + 1) * elements; ++i) {
            const float difference = float{x[i]} - float{target[i]};
            total += difference * difference;
          }
          loss[r] = total / static_cast<float>(elements);
        }
      },
      [](const ipu::architecture& chip, ipu::lengths n) { return row_cost(chip, ipu::element_type_of<E>(), n[0], 2); }};
}

/// 2 / elements * (x - target) * d_loss; for the target with the sign turned.
template <class E>
ipu::codelet squared_error_gradient_codelet(std::size_t elements, float sign) {
  return {
      ipu::name_from("squared error gradient"), ipu::elementwise_code,
      [elements, sign](std::span<const E> x, std::span<const E> target, std::span<const float> d_loss,
                       std::span<E> d_x) {
        for (std::size_t r = 0; r < d_loss.size(); ++r) {
          const float scale = sign * 2 / static_cast<float>(elements) * d_loss[r];
          for (std::size_t i = r * elements; i < (r + 1) * elements; ++i)
            d_x[i] = E{scale * (float{x[i]} - float{target[i]})};
        }
      },
      [](const ipu::architecture& chip, ipu::lengths n) { return row_cost(chip, ipu::element_type_of<E>(), n[0], 2); }};
}

}  // namespace impl

template <class E, std::size_t... Extent>
ipu::step lower_forward(mean_squared_error_t,
                        const forward_lowering<in<tensor<E, Extent...>, tensor<E, Extent...>>,
                                               out<tensor<E, Extent...>, tensor<float>>>& l) {
  const auto [x, target] = l.in;
  return on_rows(l, "squared error", l.samples, impl::squared_error_codelet<E>(shape<Extent...>::elements),
                 {read_rows(x), read_rows(target), write_rows(l.out[1])});
}

/// Either gradient may be unwanted.
template <class E, std::size_t... Extent>
ipu::step lower_backward_inputs(mean_squared_error_t,
                                const inputs_lowering<in<tensor<E, Extent...>, tensor<E, Extent...>>,
                                                      out<tensor<E, Extent...>, tensor<float>>>& l) {
  const auto [x, target] = l.in;
  ipu::step program;
  float sign = 1;
  for (const on_tiles& d_x : l.d_in) {
    if (d_x.wanted()) {
      program.then(on_rows(l, "squared error gradient", l.samples,
                                     impl::squared_error_gradient_codelet<E>(shape<Extent...>::elements, sign),
                                     {read_rows(x), read_rows(target), read_rows(l.d_out[1]), write_rows(d_x)}));
    }
    sign = -1;
  }
  return program;
}

}  // namespace ipuflow::nn
