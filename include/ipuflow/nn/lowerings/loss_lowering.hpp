// SPDX-License-Identifier: BSL-1.0
// Losses on tiles: whole samples on a tile, each with its label or target. As on the host the backward pass finds the
// softmax again, and no gradient flows into the predictions but that of the loss.
#pragma once

#include <ipuflow/ipu/ops/softmax.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/lowerings/row_lowering.hpp>
#include <ipuflow/nn/nn_fault.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ipuflow::nn {

/// The largest number of a row, and the sum of exp(number - largest).
struct row_terms {
  float largest = 0;
  float sum = 0;

  template <class E>
  explicit row_terms(std::span<const E> row) : largest{row[0]} {
    for (const E x : row) largest = std::max(largest, float{x});
    for (const E x : row) sum += std::exp(float{x} - largest);
  }
};

/// A label of a row, checked as on the host.
inline std::size_t checked_label(std::int32_t label, std::size_t row, std::size_t classes) {
  const auto index = static_cast<std::size_t>(label);
  if (index >= classes) throw_if(nn_fault{nn_wrong::label_too_large, index, classes, {.op = row}});
  return index;
}

/// The loss of each row, in float.
template <class E>
ipu::codelet cross_entropy_codelet(std::size_t classes, const row_share& share) {
  return {ipu::name_from("cross-entropy"), ipu::softmax_code,
          [classes, share](std::size_t vertex, std::span<const E> x, std::span<const std::int32_t> labels,
                           std::span<float> loss) {
            for (std::size_t r = 0; r < labels.size(); ++r) {
              const std::span<const E> row = x.subspan(r * classes, classes);
              const row_terms terms{row};
              const float right{row[checked_label(labels[r], share.first(vertex) + r, classes)]};
              loss[r] = std::log(terms.sum) + (terms.largest - right);
            }
          },
          [](const ipu::architecture& chip, ipu::lengths n) {
            ipu::vertex_cost cost = ipu::softmax_cost(chip, ipu::element_type_of<E>(), n[0]);
            const ipu::vertex_cost log = ipu::unary_cost(chip, ipu::unary::log, ipu::element_type::f32, n[1]);
            cost.bundles += log.bundles;
            cost.supervisor += log.supervisor;
            return cost;
          }};
}

/// (softmax - 1 at the label) times the gradient of the row's loss.
template <class E>
ipu::codelet cross_entropy_gradient_codelet(std::size_t classes) {
  return {ipu::name_from("cross-entropy gradient"), ipu::softmax_code,
          [classes](std::span<const E> x, std::span<const std::int32_t> labels, std::span<const float> d_loss,
                    std::span<E> d_x) {
            for (std::size_t r = 0; r < labels.size(); ++r) {
              const std::span<const E> row = x.subspan(r * classes, classes);
              const row_terms terms{row};
              const float scale = d_loss[r] / terms.sum;
              for (std::size_t i = 0; i < classes; ++i) {
                const float right = i == static_cast<std::size_t>(labels[r]) ? d_loss[r] : 0.0f;
                d_x[r * classes + i] = E{scale * std::exp(float{row[i]} - terms.largest) - right};
              }
            }
          },
          [](const ipu::architecture& chip, ipu::lengths n) {
            ipu::vertex_cost cost = ipu::softmax_cost(chip, ipu::element_type_of<E>(), n[0]);
            cost.bundles += ipu::binary_cost(chip, ipu::binary::mul, ipu::element_type_of<E>(), n[0]).bundles;
            return cost;
          }};
}

template <class E, std::size_t C>
ipu::step lower_forward(cross_entropy_t, const lowering& l, on_tiles<E, shape<C>> x,
                        on_tiles<std::int32_t, shape<>> labels, on_tiles<E, shape<C>>, on_tiles<float, shape<>> loss) {
  return on_rows(l, "cross-entropy", l.samples, cross_entropy_codelet<E>(C, share_rows(l, l.samples)),
                 {read_rows(x.variable), read_rows(labels.variable), write_rows(loss.variable)});
}

template <class E, std::size_t C>
ipu::step lower_backward_inputs(cross_entropy_t, const lowering& l, on_tiles<E, shape<C>> x,
                                on_tiles<std::int32_t, shape<>> labels, on_tiles<E, shape<C>>, on_tiles<float, shape<>>,
                                on_tiles<E, shape<C>>, on_tiles<float, shape<>> d_loss, on_tiles<E, shape<C>> d_x) {
  return on_rows(
      l, "cross-entropy gradient", l.samples, cross_entropy_gradient_codelet<E>(C),
      {read_rows(x.variable), read_rows(labels.variable), read_rows(d_loss.variable), write_rows(d_x.variable)});
}

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

template <class E, class Shape>
ipu::step lower_forward(mean_squared_error_t, const lowering& l, on_tiles<E, Shape> x, on_tiles<E, Shape> target,
                        on_tiles<E, Shape>, on_tiles<float, shape<>> loss) {
  return on_rows(l, "squared error", l.samples, squared_error_codelet<E>(Shape::elements),
                 {read_rows(x.variable), read_rows(target.variable), write_rows(loss.variable)});
}

/// Either gradient may be unwanted.
template <class E, class Shape>
ipu::step lower_backward_inputs(mean_squared_error_t, const lowering& l, on_tiles<E, Shape> x,
                                on_tiles<E, Shape> target, on_tiles<E, Shape>, on_tiles<float, shape<>>,
                                on_tiles<E, Shape>, on_tiles<float, shape<>> d_loss, on_tiles<E, Shape> d_x,
                                on_tiles<E, Shape> d_target) {
  ipu::step program;
  float sign = 1;
  for (const auto& wanted : {d_x, d_target}) {
    if (wanted.there) {
      program.body.push_back(on_rows(l, "squared error gradient", l.samples,
                                     squared_error_gradient_codelet<E>(Shape::elements, sign),
                                     {read_rows(x.variable), read_rows(target.variable), read_rows(d_loss.variable),
                                      write_rows(wanted.variable)}));
    }
    sign = -1;
  }
  return program;
}

}  // namespace ipuflow::nn
