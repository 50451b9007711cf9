// SPDX-License-Identifier: BSL-1.0
// The gradient of a convolution for its weights by Winograd's transforms: for each of the 36 products of a tile a matrix of
// filters by channels, summed over all tiles and samples, which is then transformed to 3 x 3 taps. The sum is over lanes, too, so
// pixels are turned into vectors of channels first, and no sum across lanes is needed.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/nn/kernels/winograd.hpp>

#include <cstddef>

namespace ipuflow::nn {

namespace impl {

template <class T>
class winograd_weights {
  using V = lanes<T>;
  static constexpr auto width = static_cast<std::ptrdiff_t>(lane_count);
  static constexpr std::ptrdiff_t channels_at_once = 32, filters_at_once = 64, vectors = channels_at_once / width;
  static constexpr std::ptrdiff_t sum_plane = filters_at_once * vectors + plane_gap;

 public:
  /// Adds to `weights`, [filter][channel][3][3] of one of the layer's groups.
  static void run(const conv2d_shape& s, const V* x, std::size_t in_group, const V* d_y, std::size_t out_group,
                  std::size_t groups, T* weights) {
    const std::ptrdiff_t across = (s.out_width + 3) / tile_step, tiles = (s.out_height + 3) / tile_step * across;
    const std::ptrdiff_t columns = static_cast<std::ptrdiff_t>(groups) * tiles;
    const winograd_weights all{s,
                               {s.height, s.width, -s.padding, -s.padding, across},
                               {s.out_height, s.out_width, 0, 0, across},
                               tiles,
                               columns_at_once(s, columns)};
    const std::ptrdiff_t channel_blocks = (s.channels + channels_at_once - 1) / channels_at_once;
    const std::ptrdiff_t filter_blocks = (s.filters + filters_at_once - 1) / filters_at_once;
    const bool once = all.at_once == columns;
    const std::ptrdiff_t size_of_pixels = channel_blocks * tile_products * all.pixel_plane();
    const std::ptrdiff_t size_of_gradients = filter_blocks * tile_products * all.gradient_plane();
    const std::ptrdiff_t size_of_sums = (once ? 1 : channel_blocks * filter_blocks) * tile_products * sum_plane;
    working_room<V> room(size_of_pixels + size_of_gradients + size_of_sums);
    V *pixels = room.take(size_of_pixels), *gradients = room.take(size_of_gradients), *sums = room.take(size_of_sums);
    for (std::ptrdiff_t first = 0; first < columns; first += all.at_once) {
      const std::ptrdiff_t count = algorithms::min(all.at_once, columns - first);
      all.transform_pixels_of(x, static_cast<std::ptrdiff_t>(in_group), first, count, pixels);
      all.transform_gradients(d_y, static_cast<std::ptrdiff_t>(out_group), first, count, gradients);
      for (std::ptrdiff_t c = 0; c < channel_blocks; ++c) {
        for (std::ptrdiff_t f = 0; f < filter_blocks; ++f) {
          V* to = sums + (once ? 0 : c * filter_blocks + f) * tile_products * sum_plane;
          all.multiply(gradients, pixels, f, c, count, first > 0, to);
          if (first + count == columns) all.add_taps(to, f * filters_at_once, c * channels_at_once, weights);
        }
      }
    }
  }

 private:
  const conv2d_shape& s;
  tiled_plane in{}, out{};
  std::ptrdiff_t tiles = 0, at_once = 0;

  winograd_weights(const conv2d_shape& shape, tiled_plane pixels, tiled_plane gradients, std::ptrdiff_t tile_count,
                   std::ptrdiff_t columns)
      : s{shape}, in{pixels}, out{gradients}, tiles{tile_count}, at_once{columns} {}

  /// All columns where that takes no more memory than the sums of all weights would, which are not kept then.
  static std::ptrdiff_t columns_at_once(const conv2d_shape& s, std::ptrdiff_t columns) {
    constexpr std::ptrdiff_t few = 6;
    return columns <= few || columns * width * (s.filters + s.channels) <= s.filters * s.channels ? columns : few;
  }

  std::ptrdiff_t pixel_plane() const { return at_once * channels_at_once + plane_gap; }
  std::ptrdiff_t gradient_plane() const { return at_once * filters_at_once + plane_gap; }

  /// To [block][product][sample of a column][channel].
  void transform_pixels_of(const V* x, std::ptrdiff_t in_group, std::ptrdiff_t first, std::ptrdiff_t count, V* to) const {
    V made[lane_count * tile_products];
    for (std::ptrdiff_t c = 0; c < s.channels; c += width) {
      V* block = to + c / channels_at_once * tile_products * pixel_plane() + c % channels_at_once / width;
      for (std::ptrdiff_t n = 0; n < count; ++n) {
        const V* images = x + (first + n) / tiles * in_group + c * s.height * s.width;
        for (std::ptrdiff_t l = 0; l < width; ++l) {
          if (c + l < s.channels) {
            transform_pixels<typename winograd_axis<T>::pixels>(images + l * s.height * s.width, in, (first + n) % tiles, made + l,
                                                                width);
          } else {
            for (std::ptrdiff_t k = 0; k < tile_products; ++k) made[k * width + l] = V{};
          }
        }
        for (std::ptrdiff_t k = 0; k < tile_products; ++k) {
          V turned[lane_count];
          transpose(made + k * width, turned);
          V* samples = block + k * pixel_plane() + n * width * vectors;
          for (std::ptrdiff_t l = 0; l < width; ++l) samples[l * vectors] = turned[l];
        }
      }
    }
  }

  /// To [block][product][filter][column].
  void transform_gradients(const V* d_y, std::ptrdiff_t out_group, std::ptrdiff_t first, std::ptrdiff_t count, V* to) const {
    constexpr std::ptrdiff_t unit = winograd_product<T>::unit;
    for (std::ptrdiff_t f = 0; f < (s.filters + unit - 1) / unit * unit; ++f) {
      V* row = to + f / filters_at_once * tile_products * gradient_plane() + f % filters_at_once * at_once;
      for (std::ptrdiff_t n = 0; n < count; ++n) {
        if (f < s.filters) {
          const V* image = d_y + (first + n) / tiles * out_group + f * s.out_height * s.out_width;
          transform_pixels<typename winograd_axis<T>::output_gradients>(image, out, (first + n) % tiles, row + n, gradient_plane());
        } else {
          for (std::ptrdiff_t k = 0; k < tile_products; ++k) row[k * gradient_plane() + n] = V{};
        }
      }
    }
  }

  void multiply(const V* gradients, const V* pixels, std::ptrdiff_t f, std::ptrdiff_t c, std::ptrdiff_t count, bool adds, V* to) const {
    constexpr std::ptrdiff_t unit = winograd_product<T>::unit;
    const std::ptrdiff_t rows = algorithms::min(filters_at_once, s.filters - f * filters_at_once);
    const std::ptrdiff_t columns = algorithms::min(channels_at_once, s.channels - c * channels_at_once);
    for (std::ptrdiff_t k = 0; k < tile_products; ++k) {
      winograd_product<T>{.weights = reinterpret_cast<const T*>(gradients + (f * tile_products + k) * gradient_plane()),
                          .row_stride = at_once * width,
                          .term_stride = 1,
                          .in = pixels + (c * tile_products + k) * pixel_plane(),
                          .in_stride = vectors,
                          .out = to + k * sum_plane,
                          .out_stride = vectors,
                          .terms = count * width,
                          .adds = adds}
          .run((rows + unit - 1) / unit * unit, (columns + width - 1) / width);
    }
  }

  /// Transforms the sums of a block to taps, and adds these.
  void add_taps(const V* sums, std::ptrdiff_t first_filter, std::ptrdiff_t first_channel, T* weights) const {
    for (std::ptrdiff_t f = first_filter; f < algorithms::min(first_filter + filters_at_once, s.filters); ++f) {
      for (std::ptrdiff_t c = first_channel; c < algorithms::min(first_channel + channels_at_once, s.channels); c += width) {
        V taps[9];
        transform_tile<typename winograd_axis<T>::weight_gradients>(
            sums + (f - first_filter) * vectors + (c - first_channel) / width, tile_extent * sum_plane, sum_plane, taps, 1);
        add_channels(taps, algorithms::min(width, s.channels - c), weights + (f * s.channels + c) * 9);
      }
    }
  }

  [[gnu::always_inline]] static void add_channels(const V* taps, std::ptrdiff_t count, T* weights) {
    constexpr std::ptrdiff_t turned = width <= 9 ? 9 / width * width : 0;
    std::ptrdiff_t k = 0;
    if constexpr (turned > 0) {
      for (; count == width && k < turned; k += width) {
        V rows[lane_count];
        transpose(taps + k, rows);
        for (std::ptrdiff_t c = 0; c < width; ++c) add_lanes_to(weights + c * 9 + k, rows[c]);
      }
    }
    for (; k < 9; ++k) {
      for (std::ptrdiff_t c = 0; c < count; ++c) add_to(weights[c * 9 + k], taps[k][static_cast<std::size_t>(c)]);
    }
  }
};

}  // namespace impl

}  // namespace ipuflow::nn
