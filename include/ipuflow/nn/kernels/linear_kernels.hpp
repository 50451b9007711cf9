// SPDX-License-Identifier: BSL-1.0
// The loops of a linear layer: products of weights with lanes, blocked over outputs and groups of samples. For its
// weights the samples are summed over, so lanes are turned into vectors of inputs first and no sum across lanes is
// needed.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/nn/batch.hpp>
#include <ipuflow/nn/simd/register_block.hpp>
#include <ipuflow/nn/simd/transpose.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow::nn {

namespace impl {

/// out[row] = bias[row] + sum over terms of weights[row * RowStride + term * TermStride] * in[term], for every group.
/// It takes as many terms at a time as let the inputs of a few groups stay in the cache while all rows pass.
template <class T, std::size_t Rows, std::size_t Terms, std::size_t RowStride, std::size_t TermStride>
struct lane_product {
  static constexpr std::size_t groups_at_once = accumulator_count >= 24 ? 3 : 2;
  static constexpr std::size_t rows_at_once = algorithms::min(Rows, accumulator_count / groups_at_once);
  static constexpr std::size_t rows_alone = algorithms::min(Rows, accumulator_count * 2 / 3);  // for a single group
  static constexpr std::size_t terms_at_once = Terms <= 512 ? Terms : 256;

  static void run(const T* weights, const T* bias, const lanes<T>* in, lanes<T>* out, std::size_t groups) {
    for (std::size_t term = 0; term < Terms; term += terms_at_once) {
      const range terms{term, algorithms::min(term + terms_at_once, Terms)};
      std::size_t g = 0;
      for (; g + groups_at_once <= groups; g += groups_at_once) {
        rows<rows_at_once, groups_at_once>(weights, bias, in + g * Terms, out + g * Rows, terms);
      }
      if (groups_at_once > 2 && groups - g == 2) {
        rows<rows_at_once, 2>(weights, bias, in + g * Terms, out + g * Rows, terms);
        g += 2;
      }
      for (; g < groups; ++g) rows<rows_alone, 1>(weights, bias, in + g * Terms, out + g * Rows, terms);
    }
  }

 private:
  struct range {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  template <std::size_t Block, std::size_t Groups>
  static void rows(const T* weights, const T* bias, const lanes<T>* in, lanes<T>* out, range terms) {
    constexpr std::size_t tail = Rows % Block;
    for (std::size_t row = 0; row + Block <= Rows; row += Block)
      block<Block, Groups>(weights, bias, in, out, row, terms);
    if constexpr (tail > 0) block<tail, Groups>(weights, bias, in, out, Rows - tail, terms);
  }

  template <std::size_t Block, std::size_t Groups>
  static void block(const T* weights, const T* bias, const lanes<T>* in, lanes<T>* out, std::size_t row, range terms) {
    register_block<T, Block, Groups> sums;
    if (terms.first == 0) {
      sums.start(bias == nullptr ? nullptr : bias + row);
    } else {
      sums.template load<1, Rows>(out + row);
    }
    using row_stride = std::integral_constant<std::ptrdiff_t, static_cast<std::ptrdiff_t>(RowStride)>;
    sums.template multiply_add<Terms>(weights + row * RowStride + terms.first * TermStride, row_stride{},
                                      static_cast<std::ptrdiff_t>(TermStride), in + terms.first, 1, terms.last - terms.first);
    sums.template store<1, Rows>(out + row);
  }
};

/// The gradients of weights: samples are the terms, and some neighbouring inputs a vector. `turned` holds the inputs of
/// some groups as such vectors, [block][sample]; gradients stay as they are.
template <class T, std::size_t O, std::size_t I>
struct outer_product {
  static constexpr bool turns = sizeof(lanes<T>) == sizeof(T) * lane_count;  // half lanes are wider than halves
  static constexpr std::size_t outputs_at_once = algorithms::min(O, accumulator_count >= 24 ? std::size_t{8} : std::size_t{4});
  static constexpr std::size_t blocks_at_once = algorithms::min(I / lane_count, accumulator_count / outputs_at_once);
  static constexpr std::size_t groups_at_once = 8;
  static constexpr std::size_t samples_at_once = groups_at_once * lane_count;

  /// Adds the products of `Blocks` vectors of inputs from number `input` on.
  template <std::size_t Blocks>
  static void run(batch<const T, shape<I>> x, batch<const T, shape<O>> d_y, T* weights, std::size_t input) {
    lanes<T> turned[Blocks * samples_at_once];
    for (std::size_t first = 0; first < x.groups; first += groups_at_once) {
      const std::size_t groups = algorithms::min(groups_at_once, x.groups - first);
      const std::size_t samples = algorithms::min(samples_at_once, x.samples - first * lane_count);
      for (std::size_t g = 0; g < groups; ++g) {
        for (std::size_t b = 0; b < Blocks; ++b) {
          transpose(x.group(first + g) + input + b * lane_count, turned + b * samples_at_once + g * lane_count);
        }
      }
      constexpr std::size_t tail = O % outputs_at_once;
      const lanes<T>* gradients = d_y.group(first);
      for (std::size_t o = 0; o + outputs_at_once <= O; o += outputs_at_once) {
        block<outputs_at_once, Blocks>(turned, gradients + o, weights + o * I + input, samples);
      }
      if constexpr (tail > 0)
        block<tail, Blocks>(turned, gradients + (O - tail), weights + (O - tail) * I + input, samples);
    }
  }

 private:
  template <std::size_t Rows, std::size_t Blocks>
  static void block(const lanes<T>* turned, const lanes<T>* d_y, T* weights, std::size_t samples) {
    register_block<T, Rows, Blocks> sums;
    sums.start(nullptr);
    for (std::size_t first = 0; first < samples; first += lane_count, d_y += O) {
      const T* gradient = reinterpret_cast<const T*>(d_y);
      const std::size_t count = algorithms::min(lane_count, samples - first);
      sums.template multiply_add<samples_at_once>(gradient, std::integral_constant<std::size_t, lane_count>{}, 1, turned + first, 1, count);
    }
    sums.template add_to_numbers<I>(weights);
  }
};

/// Adds the gradients of all weights and, if there are any, of biases. `ManyGroups`: those of biases are summed over groups first, and
/// over lanes once; of a few groups that would be as long.
template <bool ManyGroups = false, class T, std::size_t O, std::size_t I>
void add_outer_products(batch<const T, shape<I>> x, batch<const T, shape<O>> d_y, T* d_weights, T* d_biases) {
  using product = outer_product<T, O, I>;
  constexpr std::size_t turned = product::turns ? I / lane_count * lane_count : 0;
  constexpr std::size_t wide = product::blocks_at_once;
  std::size_t i = 0;
  if constexpr (turned > 0 && wide > 1) {
    for (; i + wide * lane_count <= I; i += wide * lane_count) product::template run<wide>(x, d_y, d_weights, i);
  }
  if constexpr (turned > 0) {
    for (; i + lane_count <= I; i += lane_count) product::template run<1>(x, d_y, d_weights, i);
  }
  for (std::size_t g = 0; g < x.groups; ++g) {
    for (std::size_t o = 0; o < O; ++o) {
      for (i = turned; i < I; ++i) add_to(d_weights[o * I + i], sum(d_y.group(g)[o] * x.group(g)[i]));
      if (!ManyGroups && d_biases != nullptr) add_to(d_biases[o], sum(d_y.group(g)[o]));
    }
  }
  for (std::size_t o = 0; ManyGroups && d_biases != nullptr && o < O; ++o) {
    lanes<T> all{};
    for (std::size_t g = 0; g < x.groups; ++g) all += d_y.group(g)[o];
    add_to(d_biases[o], sum(all));
  }
}

}  // namespace impl

}  // namespace ipuflow::nn
