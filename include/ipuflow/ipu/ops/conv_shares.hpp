// SPDX-License-Identifier: BSL-1.0
// A convolution shared out over tiles: for each tile its part of the result, what it needs for that of the images, and the
// pieces of the copies that bring it.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/conv_kernels.hpp>
#include <ipuflow/ipu/ops/weight_gradient_plan.hpp>
#include <ipuflow/ipu/program/arrange.hpp>
#include <ipuflow/ipu/program/matrix_order.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::ipu::impl {

/// Pieces of an image that one tile needs: samples, channels and rows, each a range.
struct image_window {
  std::size_t sample, samples, channel, channels, row, rows;

  std::size_t elements(std::size_t columns) const { return samples * channels * rows * columns; }
};

/// From an image of `channels` x `rows` x `columns` a sample. Two channels stand side by side in each word, so an even number of them
/// moves whole words: the vendor's library keeps 4 to 16 together.
template <class = void>
inline void add_window(light_vector<copy_piece>& pieces, const image_window& w, std::size_t channels, std::size_t rows,
                       std::size_t columns, std::size_t at) {
  for (std::size_t s = 0; s < w.samples; ++s) {
    const std::size_t first = (((w.sample + s) * channels + w.channel) * rows + w.row) * columns;
    const std::size_t run = w.rows * columns;
    pieces.push_back({.from = {.begin = first, .step = rows * columns},
                      .to = {.begin = at + s * w.channels * run, .step = run},
                      .length = run,
                      .count = w.channels,
                      .in_pairs = w.channels % 2 == 0});
  }
}

/// One tile's share of the result and what it needs for it, of one group or of several whole ones; shares of the same result
/// follow each other.
struct conv_share {
  std::size_t tile = 0;
  std::size_t groups = 1;
  image_window out;
  image_window in;
};

/// The shares of `want` x `channels` results; `needs` gives the rows of the other image that rows of the result touch.
template <class Needs>
light_vector<conv_share> conv_shares(const conv_plan& p, std::size_t batch, std::size_t channels, std::size_t rows,
                                    std::size_t groups, std::size_t other_per_group, std::size_t first_tile,
                                    Needs&& needs) {
  light_vector<conv_share> made;
  const std::size_t per_group = channels / groups;
  for (std::size_t b = 0; b < p.batch_parts; ++b) {
    for (std::size_t r = 0; r < p.row_parts; ++r) {
      for (std::size_t c = 0; c < p.channel_parts * p.group_parts; ++c) {
        const std::size_t group = part_begin(groups, p.group_parts, c / p.channel_parts);
        const std::size_t part = c % p.channel_parts;
        const dimension_cut mine = channel_cut(per_group, p.channel_parts), other = channel_cut(other_per_group, p.summed_parts);
        conv_share s;
        s.groups = part_size(groups, p.group_parts, c / p.channel_parts);
        s.out = {part_begin(batch, p.batch_parts, b),
                 part_size(batch, p.batch_parts, b),
                 group * per_group + mine.begin(part),
                 s.groups * mine.size(part),
                 part_begin(rows, p.row_parts, r),
                 part_size(rows, p.row_parts, r)};
        const auto [begin, end] = needs(s.out.row, s.out.row + s.out.rows);
        for (std::size_t i = 0; i < p.summed_parts; ++i) {
          s.tile = first_tile + p.tile_of(b * p.row_parts + r, c, i);
          s.in = {s.out.sample,
                  s.out.samples,
                  group * other_per_group + other.begin(i),
                  s.groups * other.size(i),
                  begin,
                  end - begin};
          made.push_back(s);
        }
      }
    }
  }
  return made;
}

/// Windows of one image, one a tile, with the copies that bring them.
struct window_list {
  light_vector<tile_block> blocks{};
  light_vector<copy_piece> pieces{};
  std::size_t elements = 0;

  template <class = void>
  void add(std::size_t tile, const image_window& w, std::size_t channels, std::size_t rows, std::size_t columns) {
    add_window(pieces, w, channels, rows, columns, elements);
    blocks.push_back({tile, w.elements(columns)});
    elements += blocks.back().elements;
  }
};

/// A pair of parts of the channels of a weight gradient. Output channels that cross groups see all groups that they cross.
struct channel_pair {
  std::size_t channel = 0, channels = 0;                  // of the output
  std::size_t first_group = 0, first = 0, each_sees = 0;  // input channels that each of them sees, in its group
  std::size_t seen_from = 0, seen = 0;                    // input channels that all of them see

  constexpr channel_pair(const conv_shape& s, const weight_gradient_plan& p, std::size_t pair) {
    const std::size_t out_per_group = s.out_channels / s.groups;
    const std::size_t in_per_group = s.in_channels / s.groups;
    const dimension_cut made = channel_cut(s.out_channels, p.out_parts), read = channel_cut(in_per_group, p.in_parts);
    channel = made.begin(pair / p.in_parts);
    channels = made.size(pair / p.in_parts);
    first_group = channel / out_per_group;
    const std::size_t last_group = (channel + channels - 1) / out_per_group;
    first = read.begin(pair % p.in_parts);
    each_sees = read.size(pair % p.in_parts);
    seen_from = first_group * in_per_group + first;
    seen = (last_group - first_group) * in_per_group + each_sees;
  }
};

/// The gradient of weights shared out: pairs of channels, and for each pair partial sums over parts of the batch and rows.
struct weight_shares {
  window_list in{};
  window_list d_out{};
  light_vector<tile_vertex<conv_block>> work{};
  light_vector<tile_block> partials{};
  light_vector<light_vector<tile_block>> groups{};  // of partial sums that make one result
  light_vector<copy_piece> outwards{};
  std::size_t elements = 0;  // of all results

  /// Adds the partial sums of a pair, one a tile.
  template <class = void>
  void add(const conv_shape& s, const weight_gradient_plan& p, std::size_t pair, std::size_t first_tile) {
    const channel_pair c{s, p, pair};
    const std::size_t all = s.in_channels / s.groups * s.taps();  // of one output channel
    const std::size_t each = c.each_sees * s.taps();
    groups.emplace_back();
    for (std::size_t part = 0; part < p.partials(); ++part) {
      const std::size_t tile = first_tile + p.tile_of(part, pair);
      const std::size_t samples = part_size(s.batch, p.batch_parts, part / p.row_parts);
      const std::size_t sample = part_begin(s.batch, p.batch_parts, part / p.row_parts);
      const std::size_t row = part_begin(s.out_rows(), p.row_parts, part % p.row_parts);
      const std::size_t rows = part_size(s.out_rows(), p.row_parts, part % p.row_parts);
      const auto [top, bottom] = s.input_rows(row, row + rows);
      in.add(tile, {sample, samples, c.seen_from, c.seen, top, bottom - top}, s.in_channels, s.rows, s.columns);
      d_out.add(tile, {sample, samples, c.channel, c.channels, row, rows}, s.out_channels, s.out_rows(), s.out_columns());
      partials.push_back({tile, c.channels * each});
      groups.back().push_back({tile, c.channels * each});
      work.push_back({tile, {s, samples, top, bottom - top, c.seen, row, rows, c.channels, c.channel, c.first_group}});
    }
    outwards.push_back({.from = {.begin = elements, .step = each},
                        .to = {.begin = c.channel * all + c.first * s.taps(), .step = all},
                        .length = each,
                        .count = c.channels});
    elements += c.channels * each;
  }
};

template <class = void>
[[nodiscard]] inline weight_shares share_weights(const conv_shape& s, const weight_gradient_plan& p, std::size_t first_tile) {
  weight_shares made;
  for (std::size_t pair = 0; pair < p.out_parts * p.in_parts; ++pair)
    made.add(s, p, pair, first_tile);
  return made;
}

}  // namespace ipuflow::ipu::impl
