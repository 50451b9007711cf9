// SPDX-License-Identifier: BSL-1.0
// Convolution of images [batch, channels, rows, columns] with weights [out, in / groups, kernel rows, kernel columns],
// and its two gradients. Tiles share out the batch, the rows and the channels of the result; the gradient of the
// weights shares out pairs of channels, and the batch and rows, which it sums over.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/conv_kernels.hpp>
#include <ipuflow/ipu/ops/conv_pick.hpp>
#include <ipuflow/ipu/ops/conv_plan.hpp>
#include <ipuflow/ipu/ops/conv_shares.hpp>
#include <ipuflow/ipu/ops/matmul.hpp>
#include <ipuflow/ipu/ops/operation_fault.hpp>
#include <ipuflow/ipu/ops/weight_gradient_plan.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace ipuflow::ipu {

namespace impl {

inline constexpr bytes conv_code{1612};  // the matmul codelet's figure

/// The block of a share with its windows of the input and the output.
constexpr conv_block block_of(const conv_shape& s, conv_method method, const conv_share& share, const image_window& in,
                              const image_window& out) {
  return {.shape = s,
          .samples = share.out.samples,
          .in_row = in.row,
          .in_rows = in.rows,
          .in_channels = in.channels,
          .out_row = out.row,
          .out_rows = out.rows,
          .out_channels = out.channels,
          .groups = share.groups,
          .method = method};
}

/// Two copies that do not wait for each other, as one if both move anything.
template <class = void>
step in_one_exchange(step first, step second) {
  copy* const all = first.get_if<copy>();
  const copy* const more = second.get_if<copy>();
  if (all == nullptr || more == nullptr) return sequence(std::move(first), std::move(second));
  all->pieces.insert(all->pieces.end(), more->pieces.begin(), more->pieces.end());
  return first;
}

/// Room on each tile for what its vertex copies.
template <class = void>
variable_id room_for(graph& g, std::string_view name, element_type type, const light_vector<tile_block>& blocks) {
  mapping map = mapping_of(blocks);
  const std::size_t elements = map.empty() ? 0 : map.back().end;
  return g.add_temporary(name_from(name), type, elements, std::move(map));
}

/// Everything around the codelet that is the same for a convolution and the gradient of its input: `seen` is what the
/// shares read, `made` what they give, each `summed_parts` of them in parts that are added.
template <class AddWeights, class Code, class BlockOf, class Copied>
step run_shares(graph& g, const light_vector<conv_share>& shares, std::size_t summed_parts, amp_precision type,
                variable_id seen, std::array<std::size_t, 3> seen_image, variable_id weights, variable_id out,
                std::array<std::size_t, 3> out_image, AddWeights&& add_weights, Code&& code, BlockOf&& block_of, Copied&& copied) {
  light_vector<tile_block> in_blocks, weight_blocks, out_blocks;
  light_vector<copy_piece> in_pieces, weight_pieces, out_pieces;
  light_vector<light_vector<tile_block>> sums;
  std::size_t in_at = 0, weight_at = 0, out_at = 0;
  for (const conv_share& s : shares) {
    const std::size_t made = s.out.elements(out_image[2]);
    in_blocks.push_back({s.tile, s.in.elements(seen_image[2])});
    add_window(in_pieces, s.in, seen_image[0], seen_image[1], seen_image[2], in_at);
    in_at += in_blocks.back().elements;
    weight_blocks.push_back({s.tile, add_weights(weight_pieces, s, weight_at)});
    weight_at += weight_blocks.back().elements;
    out_blocks.push_back({s.tile, made});
    if ((out_blocks.size() - 1) % summed_parts != 0) {
      if (made > 0) sums.back().push_back(out_blocks.back());
      continue;
    }
    if (made > 0) sums.push_back({out_blocks.back()});
    light_vector<copy_piece> back;
    add_window(back, s.out, out_image[0], out_image[1], out_image[2], out_at);
    for (const copy_piece& p : back) out_pieces.push_back(reversed(p));
    out_at += made;
  }
  const arranged image = arrange(g, seen, "conv image", mapping_of(in_blocks), std::move(in_pieces));
  const arranged kernel = arrange(g, weights, "conv weights", mapping_of(weight_blocks), std::move(weight_pieces));
  const element_type made = summed_parts == 1 ? g[out].type() : partial_type(type);
  variable_id result = g.add_temporary(name_from("conv out"), made, out_at * summed_parts, mapping_of(out_blocks));
  const compute_set_id set = g.add_compute_set("convolution");
  light_vector<tile_vertex<conv_block>> vertices;
  light_vector<tile_block> copies;
  for (const conv_share& s : shares) {
    if (s.out.elements(out_image[2]) == 0) continue;
    vertices.push_back({s.tile, block_of(s)});
    copies.push_back({s.tile, copied(vertices.back().field)});
  }
  const variable_id taps = room_for(g, "conv taps", g[seen].type(), copies);
  add_on_tiles(g, set, code(made), std::move(vertices), {whole(image.variable), whole(kernel.variable), whole(taps), whole(result)});
  step program = sequence(in_one_exchange(image.bring, kernel.bring), execute(set));
  if (summed_parts > 1) {
    auto [reduced, total] = reduce_blocks(g, sums, result, g[out].type());
    program.then(std::move(reduced));
    result = total;
  }
  program.then(deliver(std::move(out_pieces), result, out));
  return program;
}

/// The checks of a shape, and of the variables of a convolution.
template <class = void>
void check_convolution(const graph& g, operation_name of, const conv_shape& s, variable_id in, variable_id weights,
                       variable_id out) {
  throw_if(verify_sizes(of, {{"batch", s.batch}, {"in_channels", s.in_channels}, {"rows", s.rows}, {"columns", s.columns},
                             {"out_channels", s.out_channels}, {"kernel_rows", s.kernel_rows},
                             {"kernel_columns", s.kernel_columns}, {"stride", s.stride}, {"groups", s.groups}}));
  throw_if(verify_multiple(of, {"in_channels", s.in_channels}, {"groups", s.groups}));
  throw_if(verify_multiple(of, {"out_channels", s.out_channels}, {"groups", s.groups}));
  throw_if(verify_window(of, {"rows", s.kernel_rows}, s.rows, s.padding));
  throw_if(verify_window(of, {"columns", s.kernel_columns}, s.columns, s.padding));
  check_elements(g, of, {{in, s.batch * s.in_channels * s.rows * s.columns},
                         {weights, s.out_channels * (s.in_channels / s.groups) * s.taps()},
                         {out, s.batch * s.out_channels * s.out_rows() * s.out_columns()}});
}

}  // namespace impl

/// out = in convolved with weights
template <class = void>
step convolution(graph& g, const conv_shape& asked, variable_id in, variable_id weights, variable_id out,
                 const plan_options& options = {}) {
  impl::check_convolution(g, "convolution", asked, in, weights, out);
  const impl::conv_plan p = plan_convolution(g.chip(), asked, asked.batch, asked.out_rows(), asked.out_channels / asked.groups,
                                             tiles_for(g, options), memory_for(g, options));
  const conv_shape s = asked.simplified();
  const arranged read = asked.picks() ? impl::pick(g, asked, in) : arranged{in, sequence()};
  const auto shares =
      impl::conv_shares(p, s.batch, s.out_channels, s.out_rows(), s.groups, s.in_channels / s.groups, options.first_tile,
                  [&](std::size_t begin, std::size_t end) { return s.input_rows(begin, end); });
  const std::size_t taps = s.taps();
  const std::size_t in_per_group = s.in_channels / s.groups;
  const auto add_weights = [&](light_vector<copy_piece>& pieces, const impl::conv_share& share, std::size_t at) {
    const std::size_t all = in_per_group * taps;  // of one channel of the result
    const std::size_t each = share.in.channels / share.groups * taps;
    const std::size_t first = share.out.channel * all + share.in.channel % in_per_group * taps;
    pieces.push_back({.from = {.begin = first, .step = all},
                      .to = {.begin = at, .step = each},
                      .length = each,
                      .count = share.out.channels});
    return share.out.channels * each;
  };
  const auto code = [&](element_type made) {
    return impl::conv_codelet(
        g[in].type(), made, impl::conv_code,
        [](const impl::conv_block& b, const float* x, const float* w, float* y) { impl::convolve(b, x, w, y); },
        impl::forward_work);
  };
  return sequence(
      read.bring,
      impl::run_shares(
          g, shares, p.summed_parts, s.type, read.variable, {s.in_channels, s.rows, s.columns}, weights, out,
          {s.out_channels, s.out_rows(), s.out_columns()}, add_weights, code,
          [&](const impl::conv_share& share) { return impl::block_of(s, p.method, share, share.in, share.out); },
          [](const impl::conv_block& b) { return impl::expanded_elements(impl::forward_work(b), b.method); }));
}

/// d_in from d_out
template <class = void>
step convolution_of_input_gradient(graph& g, const conv_shape& asked, variable_id d_out, variable_id weights,
                                   variable_id d_in, const plan_options& options = {}) {
  impl::check_convolution(g, "convolution_of_input_gradient", asked, d_in, weights, d_out);
  const impl::conv_plan p = plan_convolution(g.chip(), asked.turned(), asked.batch, asked.rows, asked.in_channels / asked.groups,
                                             tiles_for(g, options), memory_for(g, options));
  const conv_shape s = asked.simplified();
  variable_id result = d_in;
  if (asked.picks()) {
    mapping map = impl::picked_map(asked, g[d_in].map());
    result = g.add_temporary(name_from("picked"), g[d_in].type(), s.batch * s.in_channels * s.rows * s.columns, std::move(map));
  }
  const std::size_t out_per_group = s.out_channels / s.groups;
  const std::size_t in_per_group = s.in_channels / s.groups;
  const auto shares = impl::conv_shares(p, s.batch, s.in_channels, s.rows, s.groups, out_per_group, options.first_tile,
                                  [&](std::size_t begin, std::size_t end) { return s.output_rows(begin, end); });
  const std::size_t taps = s.taps();
  const auto add_weights = [&](light_vector<copy_piece>& pieces, const impl::conv_share& share, std::size_t at) {
    const std::size_t all = in_per_group * taps;
    const std::size_t each = share.out.channels / share.groups * taps;
    const std::size_t first = share.in.channel * all + share.out.channel % in_per_group * taps;
    pieces.push_back({.from = {.begin = first, .step = all},
                      .to = {.begin = at, .step = each},
                      .length = each,
                      .count = share.in.channels});
    return each * share.in.channels;
  };
  const auto code = [&](element_type made) {
    return impl::conv_codelet(
        g[d_out].type(), made, impl::conv_code,
        [](const impl::conv_block& b, const float* dy, const float* w, float* dx) { impl::convolve_back(b, dy, w, dx); },
        impl::backward_work);
  };
  step program = impl::run_shares(
      g, shares, p.summed_parts, s.type, d_out, {s.out_channels, s.out_rows(), s.out_columns()}, weights, result,
      {s.in_channels, s.rows, s.columns}, add_weights, code,
      [&](const impl::conv_share& share) { return impl::block_of(s, p.method, share, share.out, share.in); },
      [](const impl::conv_block& b) { return impl::expanded_elements(impl::backward_work(b), b.method); });
  if (asked.picks()) program.then(impl::put_back(g, asked, result, d_in));
  return program;
}

/// d_weights from the input and d_out
template <class = void>
step convolution_of_weight_gradient(graph& g, const conv_shape& asked, variable_id in, variable_id d_out,
                                    variable_id d_weights, const plan_options& options = {}) {
  impl::check_convolution(g, "convolution_of_weight_gradient", asked, in, d_weights, d_out);
  const impl::weight_gradient_plan p = plan_weight_gradient(g.chip(), asked, tiles_for(g, options), memory_for(g, options));
  const conv_shape s = asked.simplified();
  const arranged read = asked.picks() ? impl::pick(g, asked, in) : arranged{in, sequence()};
  const element_type partial = impl::partial_type(s.type);
  impl::weight_shares shares = impl::share_weights(s, p, options.first_tile);
  const arranged image = arrange(g, read.variable, "conv image", mapping_of(shares.in.blocks), std::move(shares.in.pieces));
  const arranged slope = arrange(g, d_out, "conv gradient", mapping_of(shares.d_out.blocks), std::move(shares.d_out.pieces));
  variable_id result = g.add_temporary(name_from("conv partials"), partial, shares.elements * p.partials(),
                                       mapping_of(shares.partials));
  light_vector<tile_block> copies;
  for (const auto& vertex : shares.work) {
    const impl::conv_block& b = vertex.field;
    copies.push_back({vertex.tile, impl::taps_put_together(s, b.in_channels_of_a_group(), b.samples * b.out_rows, b.out_channels)});
  }
  const variable_id taps = impl::room_for(g, "conv taps", g[in].type(), copies);
  const compute_set_id set = g.add_compute_set("convolution of weights");
  add_on_tiles(g, set, impl::weight_gradient_codelet(g[in].type(), partial, impl::conv_code), std::move(shares.work),
               {whole(image.variable), whole(slope.variable), whole(taps), whole(result)});
  step program = sequence(read.bring, impl::in_one_exchange(image.bring, slope.bring), execute(set));
  const element_type to = g[d_weights].type();
  if (p.partials() > 1) {
    auto [reduced, sums] = impl::reduce_blocks(g, shares.groups, result, to);
    program.then(std::move(reduced));
    result = sums;
  } else if (to != partial) {
    const variable_id rounded = g.add_temporary(name_from("rounded"), to, shares.elements, g[result].map());
    program.then(cast(g, result, rounded));
    result = rounded;
  }
  program.then(deliver(std::move(shares.outwards), result, d_weights));
  return program;
}

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has these
extern template step convolution<>(graph&, const conv_shape&, variable_id, variable_id, variable_id, const plan_options&);
extern template step convolution_of_input_gradient<>(graph&, const conv_shape&, variable_id, variable_id,
                                                     variable_id, const plan_options&);
extern template step convolution_of_weight_gradient<>(graph&, const conv_shape&, variable_id, variable_id,
                                                      variable_id, const plan_options&);
#endif

}  // namespace ipuflow::ipu
