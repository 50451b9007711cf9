// SPDX-License-Identifier: BSL-1.0
// Exponentials over a vector, scaled to a sum of one. A loss that needs it does it itself: `cross_entropy` takes what
// comes before a softmax.
#pragma once

#include <ipuflow/core/shape.hpp>
#include <ipuflow/nn/batch.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <cstddef>

namespace ipuflow::nn {

struct softmax_t {};
inline constexpr softmax_t softmax{};

template <element E, std::size_t Classes>
[[nodiscard]] constexpr tensor<E, Classes> output_of(softmax_t, tensor<E, Classes>) {
  return {};
}

template <element E, std::size_t Classes>
[[nodiscard]] constexpr layer_facts facts(softmax_t, tensor<E, Classes>) {
  return {
      .forward_work = 2 * Classes, .input_work = 2 * Classes, .inputs_need_input = false, .inputs_need_output = true};
}

/// The largest value, and the sum over all classes of exp(value - largest).
template <class T>
struct softmax_terms {
  lanes<T> largest{};
  lanes<T> sum{};

  softmax_terms(const lanes<T>* values, std::size_t classes) : largest{values[0]} {
    for (std::size_t i = 1; i < classes; ++i) largest = greater(values[i], largest);
    for (std::size_t i = 0; i < classes; ++i) sum += math::exp(values[i] - largest);
  }
};

template <class T, std::size_t Classes>
void forward(softmax_t, const context&, parameters<T>, batch<const T, shape<Classes>> x, batch<T, shape<Classes>> y) {
  for (std::size_t g = 0; g < x.groups; ++g) {
    const softmax_terms<T> terms{x.group(g), Classes};
    const lanes<T> scale = lanes<T>::all(number<T>(1)) / terms.sum;
    for (std::size_t i = 0; i < Classes; ++i) y.group(g)[i] = scale * math::exp(x.group(g)[i] - terms.largest);
  }
}

template <class T, std::size_t Classes>
void backward_inputs(softmax_t, const context&, parameters<T>, batch<const T, shape<Classes>>,
                     batch<const T, shape<Classes>> y, batch<const T, shape<Classes>> d_y,
                     batch<T, shape<Classes>> d_x) {
  for (std::size_t g = 0; g < y.groups; ++g) {
    lanes<T> mean{};
    for (std::size_t i = 0; i < Classes; ++i) mean += y.group(g)[i] * d_y.group(g)[i];
    for (std::size_t i = 0; i < Classes; ++i) d_x.group(g)[i] = y.group(g)[i] * (d_y.group(g)[i] - mean);
  }
}

}  // namespace ipuflow::nn
