// SPDX-License-Identifier: BSL-1.0
// What a linear layer computes: products of weights with lanes, blocked over outputs and groups of samples. For its weights
// the samples are summed over, so lanes are turned into vectors of inputs first and no sum across lanes is needed.
#pragma once

#include <ipuflow/nn/initialise.hpp>
#include <ipuflow/nn/linear.hpp>
#include <ipuflow/nn/tile.hpp>
#include <ipuflow/nn/transpose.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ipuflow::nn {

/// out[row] = bias[row] + sum over terms of weights[row * RowStride + term * TermStride] * in[term], for every group.
template <class T, std::size_t Rows, std::size_t Terms, std::size_t RowStride, std::size_t TermStride>
struct lane_product {
  static constexpr std::size_t groups_at_once = accumulator_count >= 24 ? 3 : 2;
  static constexpr std::size_t rows_at_once = std::min(Rows, accumulator_count / groups_at_once);
  /// For a single group.
  static constexpr std::size_t rows_alone = std::min(Rows, accumulator_count * 2 / 3);

  static void run(const T* weights, const T* bias, const lanes<T>* in, lanes<T>* out, std::size_t groups) {
    std::size_t g = 0;
    for (; g + groups_at_once <= groups; g += groups_at_once) {
      rows<rows_at_once, groups_at_once>(weights, bias, in + g * Terms, out + g * Rows);
    }
    if (groups_at_once > 2 && groups - g == 2) {
      rows<rows_at_once, 2>(weights, bias, in + g * Terms, out + g * Rows);
      g += 2;
    }
    for (; g < groups; ++g) rows<rows_alone, 1>(weights, bias, in + g * Terms, out + g * Rows);
  }

 private:
  template <std::size_t Block, std::size_t Groups>
  static void rows(const T* weights, const T* bias, const lanes<T>* in, lanes<T>* out) {
    constexpr std::size_t tail = Rows % Block;
    for (std::size_t row = 0; row + Block <= Rows; row += Block) block<Block, Groups>(weights, bias, in, out, row);
    if constexpr (tail > 0) block<tail, Groups>(weights, bias, in, out, Rows - tail);
  }

  template <std::size_t Block, std::size_t Groups>
  static void block(const T* weights, const T* bias, const lanes<T>* in, lanes<T>* out, std::size_t row) {
    tile<T, Block, Groups> sums;
    sums.start(bias == nullptr ? nullptr : bias + row);
    const T* weight = weights + row * RowStride;
    for (std::size_t term = 0; term < Terms; ++term) {
      sums.template multiply_add<RowStride, Terms>(weight + term * TermStride, in + term);
    }
    sums.template store<1, Rows>(out + row);
  }
};

template <class T, std::size_t O, std::size_t I>
void forward(linear_t<O>, const context&, parameters<T> p, batch<const T, shape<I>> x, batch<T, shape<O>> y) {
  lane_product<T, O, I, I, 1>::run(p.values, p.values + O * I, x.data, y.data, x.groups);
}

template <class T, std::size_t O, std::size_t I>
void backward_inputs(linear_t<O>, const context&, parameters<T> p, batch<const T, shape<I>>, batch<const T, shape<O>>,
                     batch<const T, shape<O>> d_y, batch<T, shape<I>> d_x) {
  lane_product<T, I, O, 1, I>::run(p.values, nullptr, d_y.data, d_x.data, d_y.groups);
}

/// The gradients of weights from one group, whose samples are the terms: `x` turned, gradients as they are.
template <class T, std::size_t O, std::size_t I>
struct outer_product {
  static constexpr std::size_t outputs_at_once = std::min(O, accumulator_count >= 24 ? std::size_t{8} : std::size_t{4});
  static constexpr std::size_t blocks_at_once = accumulator_count >= 24 ? 3 : 2;
  static constexpr std::size_t blocks = I / lane_count;

  /// Adds to `weights`. `turned` holds a vector of inputs for each sample, block by block.
  template <std::size_t Blocks>
  static void run(const lanes<T>* turned, const lanes<T>* d_y, T* weights, std::size_t samples) {
    constexpr std::size_t tail = O % outputs_at_once;
    for (std::size_t o = 0; o + outputs_at_once <= O; o += outputs_at_once) {
      block<outputs_at_once, Blocks>(turned, d_y + o, weights + o * I, samples);
    }
    if constexpr (tail > 0) block<tail, Blocks>(turned, d_y + (O - tail), weights + (O - tail) * I, samples);
  }

 private:
  template <std::size_t Rows, std::size_t Blocks>
  static void block(const lanes<T>* turned, const lanes<T>* d_y, T* weights, std::size_t samples) {
    tile<T, Rows, Blocks> sums;
    sums.start(nullptr);
    const T* gradient = reinterpret_cast<const T*>(d_y);
    for (std::size_t sample = 0; sample < samples; ++sample) {
      sums.template multiply_add<lane_count, lane_count>(gradient + sample, turned + sample);
    }
    for (std::size_t i = 0; i < Rows * Blocks; ++i) {
      add_to(weights + i / Blocks * I + i % Blocks * lane_count, sums.sums[i]);
    }
  }
};

template <class T, std::size_t O, std::size_t I>
void backward_weights(linear_t<O>, const context&, parameters<T>, batch<const T, shape<I>> x, batch<const T, shape<O>>,
                      batch<const T, shape<O>> d_y, T* d_parameters) {
  using product = outer_product<T, O, I>;
  constexpr std::size_t wide = product::blocks_at_once;
  for (std::size_t g = 0; g < x.groups; ++g) {
    const std::size_t samples = x.samples_in(g);
    lanes<T> turned[wide * lane_count];
    std::size_t i = 0;
    for (; i + wide * lane_count <= I; i += wide * lane_count) {
      for (std::size_t b = 0; b < wide; ++b) transpose(x.group(g) + i + b * lane_count, turned + b * lane_count);
      product::template run<wide>(turned, d_y.group(g), d_parameters + i, samples);
    }
    for (; i + lane_count <= I; i += lane_count) {
      transpose(x.group(g) + i, turned);
      product::template run<1>(turned, d_y.group(g), d_parameters + i, samples);
    }
    for (; i < I; ++i) {
      for (std::size_t o = 0; o < O; ++o) d_parameters[o * I + i] += sum(d_y.group(g)[o] * x.group(g)[i]);
    }
    for (std::size_t o = 0; o < O; ++o) d_parameters[O * I + o] += sum(d_y.group(g)[o]);
  }
}

template <class T, std::size_t O, element E, std::size_t I>
constexpr void initialise_layer(linear_t<O> layer, tensor<E, I> in, std::uint64_t seed, T* values, T*) {
  initialise_uniform(values, facts(layer, in).parameters, I, seed);
}

}  // namespace ipuflow::nn
