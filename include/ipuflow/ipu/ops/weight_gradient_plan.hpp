// SPDX-License-Identifier: BSL-1.0
// Plans of the gradient of a convolution's weights: how it is shared out over tiles. All cuts of pairs of channels, and of the
// batch and rows that are summed over, are tried, and the one with the fewest estimated cycles that fits is taken.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/conv_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace ipuflow::ipu {

namespace impl {

/// Elements of an image that are put together for more taps than one, a copy for each tap; not for single channels of halves.
[[nodiscard]] constexpr std::size_t taps_put_together(const conv_shape& s, std::size_t in_channels, std::size_t rows,
                                                      std::size_t out_channels) {
  const std::size_t most = s.out_channels / s.groups;
  const bool single = in_channels == 1 && most == 1 && s.groups > 1 && s.type != amp_precision::float_float;
  const std::size_t groups = s.groups == 1 ? 1 : divided_up(out_channels, most);
  return s.taps() == 1 || single ? 0 : groups * in_channels * s.taps() * rows * s.out_columns();
}

/// Sums over places, for each tap and pair of channels: a product of which taps and input channels are one side, output
/// channels the other. Of more taps than one the image is put together first, in runs of a row if there is no stride.
[[nodiscard]] constexpr vertex_cost weight_gradient_cost(const architecture& chip, const conv_shape& s, std::size_t in_channels,
                                                         std::size_t rows, std::size_t out_channels) {
  const std::size_t most = s.out_channels / s.groups;
  const std::size_t groups = s.groups == 1 ? 1 : divided_up(out_channels, most);
  const std::size_t copied = taps_put_together(s, in_channels, rows, out_channels);
  if (s.taps() > 1 && copied == 0)
    return channel_by_channel_cost(chip, {s.kernel_rows, s.kernel_columns, 1, 1, groups, rows, s.out_columns(), s.type, 1, 1, 0});
  const amp_work product{in_channels * s.taps(), rows * s.out_columns(), algorithms::min(out_channels, most), groups, s.type};
  vertex_cost best = matmul_cost(chip, product);
  const vertex_cost swapped = turned_cost(chip, product);
  if (alone(swapped, chip) < alone(best, chip)) best = swapped;
  const std::size_t size = operand_bytes(s.type);
  best.bundles += rearranged(chip, copied, size, s.stride == 1 ? size * s.out_columns() : size);
  return best;
}

/// A plan of the gradient of weights shares out pairs of channels, and for each the batch and rows that are summed over.
struct weight_gradient_plan {
  std::size_t out_parts = 1;
  std::size_t in_parts = 1;  // of a group
  std::size_t batch_parts = 1;
  std::size_t row_parts = 1;  // of the output
  cycles estimate{std::numeric_limits<std::uint64_t>::max()};
  bytes temporary{std::numeric_limits<std::uint64_t>::max()};
  std::size_t pieces = 0;  // that a tile receives

  [[nodiscard]] constexpr std::size_t partials() const { return batch_parts * row_parts; }
  [[nodiscard]] constexpr std::size_t pairs() const { return out_parts * in_parts; }
  /// The tile of a partial sum of a pair, which is its output part times `in_parts` and its input part. Pairs of tiles share what
  /// they get of one image.
  [[nodiscard]] constexpr std::size_t tile_of(std::size_t partial, std::size_t pair) const {
    const bool turned = in_parts % 2 != 0 && out_parts % 2 == 0;
    return partial * pairs() + (turned ? pair % in_parts * out_parts + pair / in_parts : pair);
  }
};

/// Of both images and of partial sums.
[[nodiscard]] constexpr std::size_t pieces_of(const weight_gradient_plan& p, std::size_t samples, std::size_t in, std::size_t image, std::size_t out,
                                              std::size_t slope) {
  const bool whole = p.row_parts == 1;
  return pieces_of(samples, in, whole, image) + pieces_of(samples, out, whole, slope) + p.partials();
}

/// Fills in the cycles and bytes of a plan.
template <class = void>
[[nodiscard]] constexpr weight_gradient_plan estimated(const architecture& chip, const conv_shape& s, weight_gradient_plan p) {
  const std::size_t size = operand_bytes(s.type);
  const std::size_t out = channel_cut(s.out_channels, p.out_parts).most();
  const std::size_t in = channel_cut(s.in_channels / s.groups, p.in_parts).most();
  const std::size_t groups = s.groups == 1 ? 1 : divided_up(out, s.out_channels / s.groups);
  const std::size_t samples = divided_up(s.batch, p.batch_parts);
  const std::size_t high = divided_up(s.out_rows(), p.row_parts);
  const std::size_t image = samples * groups * in * s.rows_seen(high) * s.columns * size;
  const std::size_t slope = samples * out * high * s.out_columns() * size;
  const std::size_t sums = in * s.taps() * out;
  const std::size_t partial = sums * partial_bytes(s.type);
  const bool slopes_shared = p.in_parts % 2 == 0, images_shared = !slopes_shared && p.out_parts % 2 == 0 && s.groups == 1;
  const auto shared = [&](bool is) { return is && chip.tiles_per_bus == 2 ? 2u : 1u; };
  p.estimate = copied(chip, image / shared(images_shared) + slope / shared(slopes_shared)) +
               alone(weight_gradient_cost(chip, s, in, samples * high, out), chip) +
               copied(chip, largest_share(sums, p.partials()) * size);
  const auto slope_rows = [&](std::size_t part) { return light_pair{part_begin(s.out_rows(), p.row_parts, part), part_begin(s.out_rows(), p.row_parts, part + 1)}; };
  const auto image_rows = [&](std::size_t part) { return s.input_rows(slope_rows(part).first, slope_rows(part).second); };
  if (size < word) {
    const bool odd_in = s.groups == 1 && begins_odd(channel_cut(s.in_channels, p.in_parts)), odd_out = begins_odd(channel_cut(s.out_channels, p.out_parts));
    p.estimate += pieces_time(chip, {samples, groups * in, s.rows, s.columns, odd_in}, p.row_parts, image_rows, false) +
                  pieces_time(chip, {samples, out, s.out_rows(), s.out_columns(), odd_out}, p.row_parts, slope_rows, false);
  }
  p.temporary = {image + slope + partial + taps_put_together(s, in, samples * high, out) * size};
  p.pieces = pieces_of(p, samples, groups * in, image, out, slope);
  if (p.partials() > 1) {
    p.estimate += plan_reduction(chip, partial_type(s.type), sums, p.partials()).estimate;
    p.temporary = {algorithms::max(p.temporary.value, image + slope + 2 * partial)};
  }
  return p;
}

/// Numbers that are multiplied in all.
constexpr std::size_t multiplications_of_weights(const conv_shape& s) {
  const conv_shape t = s.simplified();
  return s.batch * t.out_rows() * t.out_columns() * s.out_channels * (s.in_channels / s.groups) * s.taps();
}

/// Calls `visit(plan)` for every plan worth trying, those with many parts first. Channels of groups stay together.
template <class Visit>
void for_each_weight_gradient_plan(const conv_shape& s, std::size_t tiles, Visit&& visit) {
  const auto in_parts = s.groups == 1 ? most_first(useful_parts(s.in_channels, tiles)) : light_vector<std::size_t>{1};
  const auto out_parts = most_first(useful_parts(s.out_channels, tiles));
  const auto batch_parts = most_first(useful_parts(s.batch, tiles));
  const auto row_parts = most_first(useful_parts(s.out_rows(), tiles));
  for (const std::size_t b : batch_parts) {
    for (const std::size_t r : row_parts) {
      if (b * r > tiles) continue;
      for (const std::size_t o : out_parts) {
        if (o * b * r > tiles) continue;
        for (const std::size_t i : in_parts) {
          if (o * i * b * r <= tiles) visit(weight_gradient_plan{o, i, b, r, {}, {}, 0});
        }
      }
    }
  }
}

}  // namespace impl

/// The best plan whose blocks fit in `memory`; if none does, the one that needs least. It is for the `simplified()` shape.
template <class = void>
[[nodiscard]] inline impl::weight_gradient_plan plan_weight_gradient(const architecture& chip, const conv_shape& s,
                                                                     std::size_t tiles, bytes memory) {
  const conv_shape t = s.simplified();
  const std::size_t multiplied = impl::multiplications_of_weights(s);
  impl::plan_choice<impl::weight_gradient_plan> choice{memory};
  impl::for_each_weight_gradient_plan(t, tiles, [&](const impl::weight_gradient_plan& p) {
    if (impl::passed_over(chip, s, multiplied, p.pairs() * p.partials()) >= choice.fastest().value) return;
    choice.offer(impl::estimated(chip, t, p));
  });
  impl::weight_gradient_plan best = choice.best();
  if (best.temporary > memory) {
    impl::for_each_weight_gradient_plan(t, tiles, [&](const impl::weight_gradient_plan& p) {
      const impl::weight_gradient_plan tried = impl::estimated(chip, t, p);
      if (tried.temporary < best.temporary) best = tried;
    });
  }
  if (s.picks()) best.estimate += impl::picking_time(chip, s, tiles);
  return best;
}

}  // namespace ipuflow::ipu
