// SPDX-License-Identifier: BSL-1.0
// A convolution with windows of 3 x 3, or its gradient for inputs, by Winograd's transforms. A column is a tile of a group of
// samples. Some columns are transformed, multiplied by the transformed weights of one block of outputs and inputs after another,
// and transformed back, such that all of them stay in the cache. A tile is computed as a whole: a number in it that is not finite can make
// any of its outputs so, and its largest number sets the error of all.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/nn/kernels/winograd.hpp>

#include <cstddef>

namespace ipuflow::nn {

namespace impl {

/// The forward pass, or the gradient for inputs: channels that are written and summed over, and images.
struct winograd_pass {
  bool forward = true;
  std::ptrdiff_t outputs = 0, inputs = 0;
  tiled_plane in{}, out{};

  constexpr std::ptrdiff_t tiles() const { return (out.height + 3) / tile_step * out.tiles_across; }
};

constexpr winograd_pass winograd_forward(const conv2d_shape& s) {
  const std::ptrdiff_t across = (s.out_width + 3) / tile_step;
  return {true, s.filters, s.channels, {s.height, s.width, -s.padding, -s.padding, across}, {s.out_height, s.out_width, 0, 0, across}};
}

constexpr winograd_pass winograd_inputs(const conv2d_shape& s) {
  const std::ptrdiff_t across = (s.width + 3) / tile_step, first = s.padding - 2;
  return {false, s.channels, s.filters, {s.out_height, s.out_width, first, first, across}, {s.height, s.width, 0, 0, across}};
}

template <class T>
class winograd_correlation {
  using V = lanes<T>;
  static constexpr auto width = static_cast<std::ptrdiff_t>(lane_count);
  static constexpr std::ptrdiff_t columns_at_once = 6, inputs_at_once = 64, outputs_at_once = 32;
  static constexpr std::ptrdiff_t vectors_of_weights = inputs_at_once * outputs_at_once / width + plane_gap;  // of a block, at one product
  static constexpr std::ptrdiff_t weights_kept = 1024 * 1024;  // numbers: more are made again for every few columns

 public:
  /// `weights`: [filter][channel][3][3] of one of the layer's groups. Samples' groups lie `in_group` and `out_group` vectors apart.
  static void run(const winograd_pass& p, const T* weights, const T* bias, const V* in, std::size_t in_group, V* out,
                  std::size_t out_group, std::size_t groups) {
    const std::ptrdiff_t columns = static_cast<std::ptrdiff_t>(groups) * p.tiles();
    const std::ptrdiff_t input_blocks = blocks(p.inputs, inputs_at_once), output_blocks = blocks(p.outputs, outputs_at_once);
    const bool keeps = columns > columns_at_once && p.inputs * p.outputs * tile_products <= weights_kept;
    const std::ptrdiff_t size_of_weights = (keeps ? input_blocks * output_blocks : 1) * tile_products * vectors_of_weights;
    const std::ptrdiff_t size_of_products = (input_blocks > 1 ? output_blocks : 1) * tile_products * product_plane;
    working_room<V> room(size_of_weights + size_of_products + tile_products * pixel_plane);
    V *transformed_weights = room.take(size_of_weights), *products = room.take(size_of_products);
    V* pixels = room.take(tile_products * pixel_plane);
    for (std::ptrdiff_t first = 0; first < columns; first += columns_at_once) {
      const std::ptrdiff_t count = algorithms::min(columns_at_once, columns - first);
      for (std::ptrdiff_t i = 0; i < input_blocks; ++i) {
        const window_range from{i * inputs_at_once, algorithms::min((i + 1) * inputs_at_once, p.inputs)};
        transform_inputs(p, in, static_cast<std::ptrdiff_t>(in_group), from, first, count, pixels);
        for (std::ptrdiff_t o = 0; o < output_blocks; ++o) {
          const window_range to{o * outputs_at_once, algorithms::min((o + 1) * outputs_at_once, p.outputs)};
          V* u = transformed_weights + (keeps ? i * output_blocks + o : 0) * tile_products * vectors_of_weights;
          V* m = products + (input_blocks > 1 ? o : 0) * tile_products * product_plane;
          if (!keeps || first == 0) transform_weights(p, weights, to, from, u);
          multiply(p, u, pixels, m, to.last - to.first, from, count);
          if (i + 1 == input_blocks) transform_outputs(p, m, bias, to, out, static_cast<std::ptrdiff_t>(out_group), first, count);
        }
      }
    }
  }

 private:
  static constexpr std::ptrdiff_t pixel_plane = inputs_at_once * columns_at_once + plane_gap;
  static constexpr std::ptrdiff_t product_plane = outputs_at_once * columns_at_once + plane_gap;

  static std::ptrdiff_t blocks(std::ptrdiff_t channels, std::ptrdiff_t at_once) { return (channels + at_once - 1) / at_once; }

  /// To [product][input][column].
  static void transform_inputs(const winograd_pass& p, const V* in, std::ptrdiff_t in_group, window_range from, std::ptrdiff_t first,
                               std::ptrdiff_t count, V* pixels) {
    const std::ptrdiff_t tiles = p.tiles();
    for (std::ptrdiff_t i = from.first; i < from.last; ++i) {
      for (std::ptrdiff_t n = 0; n < count; ++n) {
        const V* image = in + (first + n) / tiles * in_group + i * p.in.height * p.in.width;
        transform_pixels<typename winograd_axis<T>::pixels>(image, p.in, (first + n) % tiles,
                                                            pixels + (i - from.first) * columns_at_once + n, pixel_plane);
      }
    }
  }

  /// To [product][filter][channel], the channels of a block as vectors: rows of the product are filters forward, else channels.
  static void transform_weights(const winograd_pass& p, const T* weights, window_range outputs, window_range inputs, V* to) {
    const window_range filters = p.forward ? outputs : inputs, channels = p.forward ? inputs : outputs;
    const std::ptrdiff_t all = p.forward ? p.inputs : p.outputs, across = channels_across(p) / width;
    V taps[9];
    for (std::ptrdiff_t f = filters.first; f < filters.last; ++f) {
      for (std::ptrdiff_t c = channels.first; c < channels.last; c += width) {
        load_taps(weights + (f * all + c) * 9, algorithms::min(width, channels.last - c), taps);
        if (!p.forward) algorithms::reverse(taps, taps + 9);
        transform_tile<typename winograd_axis<T>::weights>(
            taps, 3, 1, to + (f - filters.first) * across + (c - channels.first) / width, vectors_of_weights);
      }
    }
    // Rows of products that are not read: a product takes `unit` at a time.
    const std::ptrdiff_t count = filters.last - filters.first, columns = channels.last - channels.first;
    const auto clear = [&](std::ptrdiff_t f, std::ptrdiff_t c) {
      for (std::ptrdiff_t k = 0; k < tile_products; ++k) to[k * vectors_of_weights + f * across + c] = V{};
    };
    constexpr std::ptrdiff_t unit = winograd_product<T>::unit;
    if (p.forward) {
      for (std::ptrdiff_t f = count; f % unit != 0; ++f) {
        for (std::ptrdiff_t c = 0; c < across; ++c) clear(f, c);
      }
    } else {
      for (std::ptrdiff_t c = (columns + width - 1) / width; c * width < (columns + unit - 1) / unit * unit; ++c) {
        for (std::ptrdiff_t f = 0; f < count; ++f) clear(f, c);
      }
    }
  }

  static std::ptrdiff_t channels_across(const winograd_pass& p) { return p.forward ? inputs_at_once : outputs_at_once; }

  /// Nine weights of each of some neighbouring channels, turned.
  [[gnu::always_inline]] static void load_taps(const T* weights, std::ptrdiff_t count, V* taps) {
    constexpr std::ptrdiff_t turned = width <= 9 ? 9 / width * width : 0;
    if (turned == 0 || count < width) {
      for (std::ptrdiff_t k = 0; k < 9; ++k) taps[k] = V{};
      for (std::ptrdiff_t c = 0; c < count; ++c) {
        for (std::ptrdiff_t k = 0; k < 9; ++k) taps[k].set(static_cast<std::size_t>(c), weights[c * 9 + k]);
      }
      return;
    }
    if constexpr (turned > 0) {
      for (std::ptrdiff_t k = 0; k < turned; k += width) {
        V rows[lane_count];
        for (std::ptrdiff_t c = 0; c < width; ++c) __builtin_memcpy(&rows[c], weights + c * 9 + k, sizeof(V));
        transpose(rows, taps + k);
      }
      for (std::ptrdiff_t k = turned; k < 9; ++k) {
        for (std::ptrdiff_t c = 0; c < width; ++c) taps[k].set(static_cast<std::size_t>(c), weights[c * 9 + k]);
      }
    }
  }

  static void multiply(const winograd_pass& p, const V* u, const V* pixels, V* products, std::ptrdiff_t outputs, window_range inputs,
                       std::ptrdiff_t count) {
    constexpr std::ptrdiff_t unit = winograd_product<T>::unit;
    const std::ptrdiff_t across = channels_across(p);
    for (std::ptrdiff_t k = 0; k < tile_products; ++k) {
      winograd_product<T>{.weights = reinterpret_cast<const T*>(u + k * vectors_of_weights),
                          .row_stride = p.forward ? across : 1,
                          .term_stride = p.forward ? 1 : across,
                          .in = pixels + k * pixel_plane,
                          .in_stride = columns_at_once,
                          .out = products + k * product_plane,
                          .out_stride = columns_at_once,
                          .terms = inputs.last - inputs.first,
                          .adds = inputs.first > 0}
          .run((outputs + unit - 1) / unit * unit, count);
    }
  }

  static void transform_outputs(const winograd_pass& p, const V* products, const T* bias, window_range outputs, V* out,
                                std::ptrdiff_t out_group, std::ptrdiff_t first, std::ptrdiff_t count) {
    const std::ptrdiff_t tiles = p.tiles();
    for (std::ptrdiff_t o = outputs.first; o < outputs.last; ++o) {
      const V start = bias == nullptr ? V{} : V::all(bias[o]);
      for (std::ptrdiff_t n = 0; n < count; ++n) {
        V made[tile_step * tile_step];
        transform_sums(products + (o - outputs.first) * columns_at_once + n, made);
        const std::ptrdiff_t tile = (first + n) % tiles;
        const std::ptrdiff_t y = tile / p.out.tiles_across * tile_step, x = tile % p.out.tiles_across * tile_step;
        V* to = out + (first + n) / tiles * out_group + (o * p.out.height + y) * p.out.width + x;
        const std::ptrdiff_t down = algorithms::min(tile_step, p.out.height - y), across = algorithms::min(tile_step, p.out.width - x);
        for (std::ptrdiff_t row = 0; row < down; ++row) {
          for (std::ptrdiff_t column = 0; column < across; ++column) {
            to[row * p.out.width + column] = made[row * tile_step + column] + start;
          }
        }
      }
    }
  }

  [[gnu::always_inline]] static void transform_sums(const V* products, V* made) {
    transform_tile<typename winograd_axis<T>::outputs>(products, tile_extent * product_plane, product_plane, made, 1);
  }
};

}  // namespace impl

}  // namespace ipuflow::nn
