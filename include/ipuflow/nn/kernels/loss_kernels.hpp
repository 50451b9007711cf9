// SPDX-License-Identifier: BSL-1.0
// What losses compute. The backward pass finds the softmax again instead of keeping it.
#pragma once

#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/layers/softmax.hpp>
#include <ipuflow/nn/nn_fault.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <cstddef>

namespace ipuflow::nn {

/// The label of a lane, checked.
template <class Label>
std::size_t checked_label(const batch<const Label, shape<>>& labels, std::size_t group, std::size_t lane,
                          std::size_t classes) {
  const auto label = static_cast<std::size_t>(labels.data[group][lane]);
  if (label >= classes) {
    throw_if(nn_fault{nn_wrong::label_too_large, label, classes, {.op = group * lane_count + lane}});
  }
  return label;
}

template <class T, std::size_t Classes, class Label>
void forward(cross_entropy_t, const context&, parameters<T>, batch<const T, shape<Classes>> x,
             batch<const Label, shape<>> labels, batch<T, shape<Classes>>, batch<T, shape<>> loss) {
  for (std::size_t g = 0; g < x.groups; ++g) {
    const lanes<T>* in = x.group(g);
    const softmax_terms<T> terms{in, Classes};
    lanes<T> right{};
    for (std::size_t l = 0; l < x.samples_in(g); ++l) right.set(l, in[checked_label(labels, g, l, Classes)][l]);
    loss.data[g] = math::log(terms.sum) + (terms.largest - right);
    for (std::size_t l = x.samples_in(g); l < lane_count; ++l) loss.data[g].set(l, T{});
  }
}

template <class T, std::size_t Classes, class Label>
void backward_inputs(cross_entropy_t, const context&, parameters<T>, batch<const T, shape<Classes>> x,
                     batch<const Label, shape<>> labels, batch<const T, shape<Classes>>, batch<const T, shape<>>,
                     batch<const T, shape<Classes>>, batch<const T, shape<>> d_loss, batch<T, shape<Classes>> d_x) {
  for (std::size_t g = 0; g < x.groups; ++g) {
    const lanes<T>* in = x.group(g);
    lanes<T>* out = d_x.group(g);
    const softmax_terms<T> terms{in, Classes};
    const lanes<T> scale = d_loss.data[g] / terms.sum;
    for (std::size_t i = 0; i < Classes; ++i) out[i] = scale * math::exp(in[i] - terms.largest);
    for (std::size_t l = 0; l < x.samples_in(g); ++l) {
      lanes<T>& right = out[checked_label(labels, g, l, Classes)];
      right.set(l, static_cast<T>(right[l] - d_loss.data[g][l]));
    }
  }
}

template <class T, class Shape>
void forward(mean_squared_error_t, const context&, parameters<T>, batch<const T, Shape> x, batch<const T, Shape> target,
             batch<T, Shape>, batch<T, shape<>> loss) {
  for (std::size_t g = 0; g < x.groups; ++g) {
    lanes<T> total{};
    for (std::size_t i = 0; i < Shape::elements; ++i) {
      const lanes<T> difference = x.group(g)[i] - target.group(g)[i];
      total += difference * difference;
    }
    loss.data[g] = number<T>(1.0 / Shape::elements) * total;
  }
}

/// Either gradient may be unwanted.
template <class T, class Shape>
void backward_inputs(mean_squared_error_t, const context&, parameters<T>, batch<const T, Shape> x,
                     batch<const T, Shape> target, batch<const T, Shape>, batch<const T, shape<>>,
                     batch<const T, Shape>, batch<const T, shape<>> d_loss, batch<T, Shape> d_x,
                     batch<T, Shape> d_target) {
  for (std::size_t g = 0; g < x.groups; ++g) {
    const lanes<T> scale = number<T>(2.0 / Shape::elements) * d_loss.data[g];
    for (std::size_t i = 0; i < Shape::elements; ++i) {
      const lanes<T> slope = scale * (x.group(g)[i] - target.group(g)[i]);
      if (d_x.data != nullptr) d_x.group(g)[i] = slope;
      if (d_target.data != nullptr) d_target.group(g)[i] = lanes<T>{} - slope;
    }
  }
}

}  // namespace ipuflow::nn
