// SPDX-License-Identifier: BSL-1.0
// Convolution of images [batch, channels, rows, columns] with weights [out, in / groups, kernel rows, kernel columns],
// and its two gradients. Tiles share out the batch, the rows and the channels of the result; the gradient of the
// weights shares out pairs of channels, and the batch and rows, which it sums over.
#pragma once

#include <ipuflow/ipu/ops/conv_kernels.hpp>
#include <ipuflow/ipu/ops/conv_plan.hpp>
#include <ipuflow/ipu/ops/matmul.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

inline constexpr bytes conv_code{1612};  // the matmul codelet's figure

namespace detail {

/// Pieces of an image that one tile needs: samples, channels and rows, each a range.
struct image_window {
  std::size_t sample, samples, channel, channels, row, rows;

  std::size_t elements(std::size_t columns) const { return samples * channels * rows * columns; }
};

/// From an image of `channels` x `rows` x `columns` a sample.
template <class = void>
inline void add_window(std::vector<copy_piece>& pieces, const image_window& w, std::size_t channels, std::size_t rows,
                       std::size_t columns, std::size_t at) {
  for (std::size_t s = 0; s < w.samples; ++s) {
    pieces.push_back({{},
                      (((w.sample + s) * channels + w.channel) * rows + w.row) * columns,
                      {},
                      at + s * w.channels * w.rows * columns,
                      w.rows * columns,
                      w.channels,
                      rows * columns,
                      w.rows * columns});
  }
}

}  // namespace detail

/// One tile's share of the result and what it needs for it; shares of the same result follow each other.
struct conv_share {
  std::size_t tile = 0;
  detail::image_window out;
  detail::image_window in;
};

/// The shares of `want` x `channels` results; `needs` gives the rows of the other image that rows of the result touch.
template <class Needs>
[[nodiscard]] std::vector<conv_share> conv_shares(const conv_plan& p, std::size_t batch, std::size_t channels, std::size_t rows,
                                                  std::size_t groups, std::size_t other_per_group, std::size_t first_tile,
                                                  Needs&& needs) {
  std::vector<conv_share> made;
  const std::size_t per_group = channels / groups;
  for (std::size_t b = 0; b < p.batch_parts; ++b) {
    for (std::size_t r = 0; r < p.row_parts; ++r) {
      for (std::size_t c = 0; c < p.channel_parts * groups; ++c) {
        const std::size_t group = c / p.channel_parts;
        const std::size_t part = c % p.channel_parts;
        conv_share s;
        s.out = {part_begin(batch, p.batch_parts, b),
                 part_size(batch, p.batch_parts, b),
                 group * per_group + part_begin(per_group, p.channel_parts, part),
                 part_size(per_group, p.channel_parts, part),
                 part_begin(rows, p.row_parts, r),
                 part_size(rows, p.row_parts, r)};
        const auto [begin, end] = needs(s.out.row, s.out.row + s.out.rows);
        for (std::size_t i = 0; i < p.summed_parts; ++i) {
          s.tile = first_tile + made.size();
          s.in = {s.out.sample,
                  s.out.samples,
                  group * other_per_group + part_begin(other_per_group, p.summed_parts, i),
                  part_size(other_per_group, p.summed_parts, i),
                  begin,
                  end - begin};
          made.push_back(s);
        }
      }
    }
  }
  return made;
}

/// Everything around the codelet that is the same for a convolution and the gradient of its input: `seen` is what the
/// shares read, `made` what they give, each `summed_parts` of them in parts that are added.
template <class AddWeights, class Code>
[[nodiscard]] step run_shares(graph& g, const std::vector<conv_share>& shares, std::size_t summed_parts, amp_precision type,
                              variable_id seen, std::array<std::size_t, 3> seen_image, variable_id weights, variable_id out,
                              std::array<std::size_t, 3> out_image, AddWeights&& add_weights, Code&& code) {
  std::vector<tile_block> in_blocks, weight_blocks, out_blocks;
  std::vector<copy_piece> in_pieces, weight_pieces, out_pieces;
  std::vector<std::vector<tile_block>> sums;
  std::size_t in_at = 0, weight_at = 0, out_at = 0;
  for (const conv_share& s : shares) {
    const std::size_t made = s.out.elements(out_image[2]);
    in_blocks.push_back({s.tile, s.in.elements(seen_image[2])});
    detail::add_window(in_pieces, s.in, seen_image[0], seen_image[1], seen_image[2], in_at);
    in_at += in_blocks.back().elements;
    weight_blocks.push_back({s.tile, add_weights(weight_pieces, s, weight_at)});
    weight_at += weight_blocks.back().elements;
    out_blocks.push_back({s.tile, made});
    if ((out_blocks.size() - 1) % summed_parts != 0) {
      if (made > 0) sums.back().push_back(out_blocks.back());
      continue;
    }
    if (made > 0) sums.push_back({out_blocks.back()});
    std::vector<copy_piece> back;
    detail::add_window(back, s.out, out_image[0], out_image[1], out_image[2], out_at);
    for (const copy_piece& p : back)
      out_pieces.push_back({{}, p.to_begin, out, p.from_begin, p.length, p.count, p.to_step, p.from_step});
    out_at += made;
  }
  const arranged image = arrange(g, seen, "conv image", mapping_of(in_blocks), std::move(in_pieces));
  const arranged kernel = arrange(g, weights, "conv weights", mapping_of(weight_blocks), std::move(weight_pieces));
  const element_type made = summed_parts == 1 ? g[out].type() : partial_type(type);
  variable_id result = g.add_temporary(name_from("conv out"), made, out_at * summed_parts, mapping_of(out_blocks));
  const compute_set_id set = g.add_compute_set("convolution");
  for (const conv_share& s : shares) {
    if (s.out.elements(out_image[2]) == 0) continue;
    g.add_vertex(set, g.add_codelet(code(s, made)), s.tile,
                 {whole(image.variable), whole(kernel.variable), whole(result)});
  }
  step program = sequence(image.bring, kernel.bring, execute(set));
  if (summed_parts > 1) {
    auto [reduced, total] = reduce_blocks(g, sums, result, g[out].type());
    program.body.push_back(std::move(reduced));
    result = total;
  }
  for (copy_piece& p : out_pieces) p.from = result;
  program.body.push_back(copy(std::move(out_pieces)));
  return program;
}

/// out = in convolved with weights
template <class = void>
[[nodiscard]] inline step convolution(graph& g, const conv_shape& s, variable_id in, variable_id weights, variable_id out,
                                      const plan_options& options = {}) {
  const conv_plan p = plan_convolution(g.chip(), s, s.batch, s.out_rows(), s.out_channels / s.groups,
                                       tiles_for(g, options), memory_for(g, options));
  const auto shares =
      conv_shares(p, s.batch, s.out_channels, s.out_rows(), s.groups, s.in_channels / s.groups, options.first_tile,
                  [&](std::size_t begin, std::size_t end) { return s.input_rows(begin, end); });
  const std::size_t taps = s.taps();
  const std::size_t in_per_group = s.in_channels / s.groups;
  const auto add_weights = [&](std::vector<copy_piece>& pieces, const conv_share& share, std::size_t at) {
    const std::size_t all = in_per_group * taps;  // of one channel of the result
    const std::size_t each = share.in.channels * taps;
    const std::size_t first = share.out.channel * all + share.in.channel % in_per_group * taps;
    pieces.push_back({{}, first, {}, at, each, share.out.channels, all, each});
    return share.out.channels * each;
  };
  return run_shares(g, shares, p.summed_parts, s.type, in, {s.in_channels, s.rows, s.columns}, weights, out,
                    {s.out_channels, s.out_rows(), s.out_columns()}, add_weights,
                    [&](const conv_share& share, element_type made) {
                      const conv_block block{s,
                                             share.out.samples,
                                             share.in.row,
                                             share.in.rows,
                                             share.in.channels,
                                             share.out.row,
                                             share.out.rows,
                                             share.out.channels};
                      return conv_codelet(
                          g[in].type(), made, conv_code, block, forward_work(block),
                          [](const conv_block& b, const float* x, const float* w, float* y) { convolve(b, x, w, y); });
                    });
}

/// d_in from d_out
template <class = void>
[[nodiscard]] inline step convolution_of_input_gradient(graph& g, const conv_shape& s, variable_id d_out, variable_id weights,
                                                        variable_id d_in, const plan_options& options = {}) {
  const conv_plan p = plan_convolution(g.chip(), s.turned(), s.batch, s.rows, s.in_channels / s.groups,
                                       tiles_for(g, options), memory_for(g, options));
  const std::size_t out_per_group = s.out_channels / s.groups;
  const std::size_t in_per_group = s.in_channels / s.groups;
  const auto shares = conv_shares(p, s.batch, s.in_channels, s.rows, s.groups, out_per_group, options.first_tile,
                                  [&](std::size_t begin, std::size_t end) { return s.output_rows(begin, end); });
  const std::size_t taps = s.taps();
  const auto add_weights = [&](std::vector<copy_piece>& pieces, const conv_share& share, std::size_t at) {
    const std::size_t first = share.in.channel * in_per_group * taps + share.out.channel % in_per_group * taps;
    pieces.push_back({{},
                      first,
                      {},
                      at,
                      share.out.channels * taps,
                      share.in.channels,
                      in_per_group * taps,
                      share.out.channels * taps});
    return share.out.channels * taps * share.in.channels;
  };
  return run_shares(
      g, shares, p.summed_parts, s.type, d_out, {s.out_channels, s.out_rows(), s.out_columns()}, weights, d_in,
      {s.in_channels, s.rows, s.columns}, add_weights, [&](const conv_share& share, element_type made) {
        const conv_block block{s,
                               share.out.samples,
                               share.out.row,
                               share.out.rows,
                               share.out.channels,
                               share.in.row,
                               share.in.rows,
                               share.in.channels};
        return conv_codelet(
            g[d_out].type(), made, conv_code, block, backward_work(block),
            [](const conv_block& b, const float* dy, const float* w, float* dx) { convolve_back(b, dy, w, dx); });
      });
}

/// d_weights from the input and d_out
template <class = void>
[[nodiscard]] inline step convolution_of_weight_gradient(graph& g, const conv_shape& s, variable_id in, variable_id d_out,
                                                         variable_id d_weights, const plan_options& options = {}) {
  const std::size_t out_per_group = s.out_channels / s.groups;
  const std::size_t in_per_group = s.in_channels / s.groups;
  const std::size_t taps = s.taps();
  const weight_gradient_plan p = plan_weight_gradient(g.chip(), s, tiles_for(g, options), memory_for(g, options));
  std::vector<tile_block> in_blocks, out_blocks, result_blocks;
  std::vector<copy_piece> in_pieces, out_pieces;
  std::vector<std::vector<tile_block>> groups;
  std::vector<copy_piece> outwards;
  std::vector<conv_block> work;
  std::size_t in_at = 0, out_at = 0, result_at = 0;
  for (std::size_t pair = 0; pair < p.out_parts * p.in_parts; ++pair) {
    const std::size_t o = pair / p.in_parts;
    const std::size_t channel = part_begin(s.out_channels, p.out_parts, o);
    const std::size_t channels = part_size(s.out_channels, p.out_parts, o);
    const std::size_t first_group = channel / out_per_group;
    const std::size_t last_group = (channel + channels - 1) / out_per_group;
    const std::size_t first = part_begin(in_per_group, p.in_parts, pair % p.in_parts);  // in each group
    const std::size_t each_sees = part_size(in_per_group, p.in_parts, pair % p.in_parts);
    const std::size_t seen = (last_group - first_group) * in_per_group + each_sees;
    const std::size_t each = channels * each_sees * taps;
    groups.emplace_back();
    for (std::size_t part = 0; part < p.partials(); ++part) {
      const std::size_t tile = options.first_tile + pair * p.partials() + part;
      const std::size_t samples = part_size(s.batch, p.batch_parts, part / p.row_parts);
      const std::size_t sample = part_begin(s.batch, p.batch_parts, part / p.row_parts);
      const std::size_t row = part_begin(s.out_rows(), p.row_parts, part % p.row_parts);
      const std::size_t rows = part_size(s.out_rows(), p.row_parts, part % p.row_parts);
      const auto [top, bottom] = s.input_rows(row, row + rows);
      detail::add_window(in_pieces, {sample, samples, first_group * in_per_group + first, seen, top, bottom - top},
                         s.in_channels, s.rows, s.columns, in_at);
      detail::add_window(out_pieces, {sample, samples, channel, channels, row, rows}, s.out_channels, s.out_rows(),
                         s.out_columns(), out_at);
      in_blocks.push_back({tile, samples * seen * (bottom - top) * s.columns});
      out_blocks.push_back({tile, samples * channels * rows * s.out_columns()});
      in_at += in_blocks.back().elements;
      out_at += out_blocks.back().elements;
      result_blocks.push_back({tile, each});
      groups.back().push_back({tile, each});
      work.push_back({s, samples, top, bottom - top, seen, row, rows, channels, channel, first_group});
    }
    outwards.push_back({{},
                        result_at,
                        d_weights,
                        (channel * in_per_group + first) * taps,
                        each_sees * taps,
                        channels,
                        each_sees * taps,
                        in_per_group * taps});
    result_at += each;
  }
  const arranged image = arrange(g, in, "conv image", mapping_of(in_blocks), std::move(in_pieces));
  const arranged slope = arrange(g, d_out, "conv gradient", mapping_of(out_blocks), std::move(out_pieces));
  variable_id result = g.add_temporary(name_from("conv partials"), element_type::f32, result_at * p.partials(),
                                       mapping_of(result_blocks));
  const compute_set_id set = g.add_compute_set("convolution of weights");
  for (std::size_t i = 0; i < work.size(); ++i) {
    g.add_vertex(set, g.add_codelet(weight_gradient_codelet(g[in].type(), conv_code, work[i])), result_blocks[i].tile,
                 {whole(image.variable), whole(slope.variable), whole(result)});
  }
  step program = sequence(image.bring, slope.bring, execute(set));
  const element_type to = g[d_weights].type();
  if (p.partials() > 1) {
    auto [reduced, sums] = reduce_blocks(g, groups, result, to);
    program.body.push_back(std::move(reduced));
    result = sums;
  } else if (to != element_type::f32) {
    const variable_id rounded = g.add_temporary(name_from("rounded"), to, result_at, g[result].map());
    program.body.push_back(cast(g, result, rounded));
    result = rounded;
  }
  for (copy_piece& piece : outwards) piece.from = result;
  program.body.push_back(copy(std::move(outwards)));
  return program;
}

}  // namespace ipuflow::ipu
