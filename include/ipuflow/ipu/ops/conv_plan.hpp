// SPDX-License-Identifier: BSL-1.0
// Plans of a convolution, and of the gradient of its input: how the result is shared out over tiles. All cuts of batch, rows,
// channels and groups are tried, each with the codelet that is fastest, and the one with the fewest estimated cycles that fits is taken.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/cost/conv_cost.hpp>
#include <ipuflow/ipu/cost/elementwise_cost.hpp>
#include <ipuflow/ipu/cost/rearrangement.hpp>
#include <ipuflow/ipu/ops/conv_shape.hpp>
#include <ipuflow/ipu/ops/matmul_plan.hpp>
#include <ipuflow/ipu/ops/reduction_plan.hpp>
#include <ipuflow/ipu/program/plan_options.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace ipuflow::ipu {

namespace impl {

/// Channels cut between fours, or pairs, if there are as many: so windows of whole planes begin at whole words, whatever their size.
constexpr dimension_cut channel_cut(std::size_t channels, std::size_t parts) {
  std::size_t grain = 4;
  while (grain > 1 && divided_up(channels, grain) < parts) grain /= 2;
  return {channels, parts, grain};
}

/// A plan says how a result is shared out. Where the channels that are summed over are cut, too, partial results are reduced.
struct conv_plan {
  std::size_t batch_parts = 1;
  std::size_t row_parts = 1;
  std::size_t channel_parts = 1;  // of each group
  std::size_t summed_parts = 1;   // likewise
  std::size_t group_parts = 1;    // where fewer than groups, no group is cut
  conv_method method = conv_method::array;
  cycles estimate{std::numeric_limits<std::uint64_t>::max()};
  bytes temporary{std::numeric_limits<std::uint64_t>::max()};
  std::size_t pieces = 0;  // that a tile receives: each is an instruction

  [[nodiscard]] constexpr std::size_t parts() const {
    return batch_parts * row_parts * channel_parts * summed_parts * group_parts;
  }
  /// The tile of a part of the batch and rows, of channels (of all groups) and of the sum. Tiles that read the same of an image
  /// stand side by side, so that pairs share what they get of it.
  [[nodiscard]] constexpr std::size_t tile_of(std::size_t places, std::size_t channels, std::size_t summed) const {
    return (places * summed_parts + summed) * channel_parts * group_parts + channels;
  }
  [[nodiscard]] constexpr std::size_t sharing(const architecture& chip) const {
    return channel_parts % chip.tiles_per_bus == 0 ? chip.tiles_per_bus : 1;
  }
};

/// The work of a tile that makes `high` rows of `samples` samples.
constexpr conv_work work_of(const conv_shape& s, std::size_t samples, std::size_t high, std::size_t in, std::size_t out,
                            std::size_t groups) {
  return {.rows = samples * high,
          .width = s.made_columns(),
          .in = in,
          .out = out,
          .groups = groups,
          .kernel_rows = s.kernel_rows,
          .kernel_columns = s.kernel_columns,
          .type = s.type,
          .stride = s.turned_round ? 1 : s.stride,
          .dilation = s.turned_round ? s.stride : 1,
          .seen_rows = samples * s.seen_for(high)};
}

/// To pick `made` elements of a tile out of an image, or to put them back among zeros.
constexpr vertex_cost pick_cost(const architecture& chip, element_type type, std::size_t made, std::size_t zeros) {
  vertex_cost cost = local_copy_cost(chip, {zeros * size_of(type)});
  cost.bundles += rearranged(chip, made, size_of(type), size_of(type));
  return cost;
}

/// The slowest plan that may be taken: a sixteenth more than the fastest [assumed].
constexpr cycles slowest_taken(cycles fastest) { return {fastest.value + fastest.value / 16}; }

/// The plan that a search chooses: of those that are not much slower than the fastest, the one with the fewest pieces, which cost memory.
template <class Plan>
class plan_choice {
 public:
  explicit plan_choice(bytes memory) : memory_{memory} {}

  [[nodiscard]] constexpr cycles fastest() const { return fastest_; }
  void offer(const Plan& p) {
    if (p.temporary > memory_ || p.estimate > slowest()) return;
    fastest_ = algorithms::min(fastest_, p.estimate);
    fast_.push_back(p);
  }
  /// With no cycles if none fits.
  [[nodiscard]] Plan best() const {
    Plan made;
    made.pieces = static_cast<std::size_t>(-1);
    for (const Plan& p : fast_) {
      const bool better = p.pieces != made.pieces ? p.pieces < made.pieces : p.estimate < made.estimate;
      if (p.estimate <= slowest() && better) made = p;
    }
    return made;
  }

 private:
  [[nodiscard]] constexpr cycles slowest() const { return slowest_taken(fastest_); }

  bytes memory_;
  cycles fastest_{std::numeric_limits<std::uint64_t>::max() / 2};
  light_vector<Plan> fast_;
};

/// Pieces of a part of an image that is stored row by row over all tiles: `planes` of each of `samples`, side by side if whole.
[[nodiscard]] constexpr std::size_t pieces_of(std::size_t samples, std::size_t planes, bool whole, std::size_t size) {
  constexpr std::size_t held = 4096;  // bytes of a value on a tile [assumed]: longer pieces come from several
  return samples * (whole ? 1 : planes) + size / held;
}

/// Of a convolution: of what is read, of weights and of what is made, each with its planes and bytes; weights are cut in `out` runs at most.
[[nodiscard]] constexpr std::size_t pieces_of(const conv_plan& p, std::size_t samples, std::size_t read, std::size_t read_bytes, std::size_t out,
                                              std::size_t made, std::size_t made_bytes) {
  const bool whole = p.row_parts == 1;
  return pieces_of(samples, read, whole, read_bytes) + (p.summed_parts > 1 ? out : 1) + pieces_of(samples, made, whole, made_bytes / p.summed_parts);
}

/// A part of images of halves, stored row after row: `samples` x `channels` of them, of planes of `rows` x `columns`.
struct image_part {
  std::size_t samples, channels, rows, columns;
  bool odd_channels;  // some parts begin at an odd channel

  /// True if the two channels of each word move together, as words do.
  [[nodiscard]] constexpr bool in_pairs() const { return channels % 2 == 0 && !odd_channels; }
  /// Halves that begin in the other half of a word than where they go, of rows [first, last).
  [[nodiscard]] constexpr std::size_t odd_halves(std::size_t first, std::size_t last, bool odd_channel) const {
    const bool whole = last - first == rows;
    const std::size_t run = (whole ? channels * rows : last - first) * columns, runs = whole ? samples : samples * channels;
    const bool begins_odd = (first + (odd_channel ? rows : 0)) * columns % 2 != 0;
    const bool alternates = ((whole ? 0 : rows * columns) + run) % 2 != 0;
    return run * (alternates ? (runs + (begins_odd ? 1 : 0)) / 2 : (begins_odd ? runs : 0));
  }
};

/// The time to put these in place: on the tile with most of them or, if `spread`, in the mean over all.
template <class Rows>
constexpr cycles pieces_time(const architecture& chip, const image_part& image, std::size_t parts, Rows&& rows_of, bool spread) {
  if (image.in_pairs() || (parts > 1 ? 1 : image.rows) * image.columns % 2 == 0) return {};
  std::uint64_t most = 0, all = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const auto [first, last] = rows_of(part);
    const std::uint64_t even = image.odd_halves(first, last, false), odd = image.odd_channels ? image.odd_halves(first, last, true) : even;
    most = algorithms::max(most, even, odd), all += (even + odd) / 2;
  }
  const std::uint64_t moved = spread ? divided_up(all, parts) : most;
  return moved == 0 ? cycles{} : alone(rearrangement{.size = 2 * moved, .merges = moved}.cost(chip), chip);
}

/// True if some parts of channels begin at an odd one.
constexpr bool begins_odd(const dimension_cut& c) { return c.parts > 1 && c.grain % 2 != 0; }

/// Of all tiles, of which each picks out of its own part of the image.
constexpr cycles picking_time(const architecture& chip, const conv_shape& s, std::size_t tiles) {
  const std::size_t channels = s.turned_round ? s.out_channels : s.in_channels;
  const auto here = [&](std::size_t places) { return divided_up(s.batch * channels * places, tiles); };
  return chip.sync + alone(pick_cost(chip, operand_type(s.type), here(s.out_rows() * s.out_columns()),
                                     s.turned_round ? here(s.rows * s.columns) : 0), chip);
}

/// Fills in the cycles and bytes of a plan for results of `batch` x `rows` x `channels` (of a group).
template <class = void>
[[nodiscard]] constexpr conv_plan estimated(const architecture& chip, const conv_shape& s, std::size_t batch, std::size_t rows,
                                            std::size_t channels, conv_plan p, bytes memory) {
  const std::size_t size = operand_bytes(s.type);
  const std::size_t samples = divided_up(batch, p.batch_parts);
  const std::size_t high = divided_up(rows, p.row_parts);
  const std::size_t out = channel_cut(channels, p.channel_parts).most();
  const std::size_t in = channel_cut(s.in_channels / s.groups, p.summed_parts).most();
  const std::size_t groups = divided_up(s.groups, p.group_parts);
  const conv_work work = work_of(s, samples, high, in, out, groups);
  const std::size_t seen = groups * in * work.seen_rows * s.seen_columns();
  const std::size_t weights = groups * out * in * s.taps();
  const std::size_t made = groups * out * work.rows * work.width;
  const std::size_t held = (seen + weights + made) * size;
  const auto [method, time] = best_method(chip, work, held < memory.value ? (memory.value - held) / size : 0);
  p.method = method;
  p.estimate = time + copied(chip, (seen / p.sharing(chip) + weights) * size) +
               copied(chip, largest_share(made, p.summed_parts) * size);
  const auto made_rows = [&](std::size_t part) { return light_pair{part_begin(rows, p.row_parts, part), part_begin(rows, p.row_parts, part + 1)}; };
  const auto seen_rows = [&](std::size_t part) { return s.seen_by(made_rows(part).first, made_rows(part).second); };
  if (size < word) {
    const bool odd_groups = p.group_parts > 1 && s.groups % (2 * p.group_parts) != 0;
    const bool odd_in = p.group_parts > 1 ? odd_groups && s.in_channels / s.groups % 2 != 0 : begins_odd(channel_cut(s.in_channels / s.groups, p.summed_parts));
    const bool odd_out = p.group_parts > 1 ? odd_groups && channels % 2 != 0 : begins_odd(channel_cut(channels, p.channel_parts));
    p.estimate += pieces_time(chip, {samples, groups * in, s.seen_rows(), s.seen_columns(), odd_in}, p.row_parts, seen_rows, false) +
                  pieces_time(chip, {samples, groups * out, rows, s.made_columns(), odd_out}, p.row_parts, made_rows, true);
  }
  const std::size_t expanded = expanded_elements(work, method) * size;
  p.temporary = {held + expanded};
  p.pieces = pieces_of(p, samples, groups * in, seen * size, out, groups * out, made * size);
  if (p.summed_parts > 1) {
    const std::size_t partial = made * partial_bytes(s.type);
    p.estimate += plan_reduction(chip, partial_type(s.type), made, p.summed_parts).estimate;
    p.temporary = {held - made * size + partial + algorithms::max(expanded, partial)};
  }
  return p;
}

template <class = void>
[[nodiscard]] inline light_vector<std::size_t> most_first(light_vector<std::size_t> parts) {
  algorithms::reverse(parts.begin(), parts.end());
  return parts;
}

/// Numbers that are multiplied in all, by a convolution with results of `batch` x `rows` x `channels`.
constexpr std::size_t multiplications(const conv_shape& s, std::size_t batch, std::size_t rows, std::size_t channels) {
  const conv_shape t = s.simplified();
  const std::size_t places = batch * rows * (s.turned_round || t != s ? t.columns : t.out_columns());
  return places * channels * s.in_channels * t.taps() / (s.turned_round ? t.stride * t.stride : 1);
}
/// The cycles of arrays that never wait: a plan is not looked at if another one takes no more.
constexpr std::uint64_t passed_over(const architecture& chip, const conv_shape& s, std::size_t multiplied, std::size_t parts) {
  return s.groups == 1 ? multiplied / (parts * macs_per_cycle(chip, s.type)) : 0;
}

/// Calls `visit(plan)` for every plan worth trying, those with many parts first.
template <class Visit>
void for_each_conv_plan(const architecture& chip, const conv_shape& s, std::size_t batch, std::size_t rows, std::size_t channels,
                        std::size_t tiles, Visit&& visit) {
  const std::size_t depth = divided_up(s.in_channels / s.groups, array_of(chip, s.type).channels);
  const auto batch_parts = most_first(useful_parts(batch, tiles));
  const auto row_parts = most_first(useful_parts(rows, tiles));
  const auto channel_parts = most_first(useful_parts(channels, tiles));
  const auto summed_parts = most_first(useful_parts(depth, tiles));
  light_vector<std::size_t> group_parts{algorithms::min(tiles, s.groups)};
  for (const std::size_t together : {4u, 8u, 16u}) {  // as many as a codelet takes at once
    if (together < s.groups && s.groups / together < group_parts.back()) group_parts.push_back(divided_up(s.groups, together));
  }
  for (const std::size_t g : group_parts) {
    for (const std::size_t b : batch_parts) {
      if (b * g > tiles) continue;
      for (const std::size_t r : row_parts) {
        if (b * r * g > tiles) continue;
        for (const std::size_t c : channel_parts) {
          if (b * r * c * g > tiles || (c > 1 && g < s.groups)) continue;
          for (const std::size_t i : summed_parts) {
            if (b * r * c * i * g <= tiles && (i == 1 || g == s.groups)) visit({b, r, c, i, g, conv_method::array, {}, {}, 0});
          }
        }
      }
    }
  }
}

}  // namespace impl

/// The best plan whose blocks fit in `memory`; if none does, the one that needs least. It is for the `simplified()` shape.
template <class = void>
[[nodiscard]] inline impl::conv_plan plan_convolution(const architecture& chip, const conv_shape& s, std::size_t batch,
                                                      std::size_t rows, std::size_t channels, std::size_t tiles,
                                                      bytes memory) {
  const conv_shape t = s.simplified();
  if (t != s) rows = t.rows;
  const std::size_t multiplied = impl::multiplications(s, batch, rows, channels);
  impl::plan_choice<impl::conv_plan> choice{memory};
  impl::for_each_conv_plan(chip, t, batch, rows, channels, tiles, [&](const impl::conv_plan& p) {
    if (impl::passed_over(chip, s, multiplied, p.parts()) >= choice.fastest().value) return;
    choice.offer(impl::estimated(chip, t, batch, rows, channels, p, memory));
  });
  impl::conv_plan best = choice.best();
  if (best.temporary > memory) {
    impl::for_each_conv_plan(chip, t, batch, rows, channels, tiles, [&](const impl::conv_plan& p) {
      const impl::conv_plan tried = impl::estimated(chip, t, batch, rows, channels, p, memory);
      if (tried.temporary < best.temporary) best = tried;
    });
  }
  if (s.picks()) best.estimate += impl::picking_time(chip, s, tiles);
  return best;
}

}  // namespace ipuflow::ipu
