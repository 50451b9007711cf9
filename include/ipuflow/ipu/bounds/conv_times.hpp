// SPDX-License-Identifier: BSL-1.0
// Lower bounds of the time of a convolution's plans. There are thousands, and compilers count their steps: what depends on the
// channels of a tile alone is worked out once, and for the rest there is an expression for each codelet, with lines below costs
// that rise in steps.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/ipu/bounds/operation_bound.hpp>
#include <ipuflow/ipu/ops/conv_plan.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu::impl {

/// A line below the bundles of positions that are streamed, of which the first few start in ways of their own. It never falls.
struct stream_line {
  std::size_t fixed = 0, slope = 0;

  template <class Bundles>
  static constexpr stream_line below(const Bundles& bundles, std::size_t few = 3) {
    stream_line made{bundles(few), bundles(few + 1) - bundles(few)};
    for (std::size_t n = 1; n <= few; ++n) made.slope = algorithms::min(made.slope, bundles(n) / n);
    for (std::size_t n = 1; n <= few; ++n) made.fixed = algorithms::min(made.fixed, bundles(n) - n * made.slope);
    return made;
  }
};

/// The sums of partial results.
struct sums_times {
  const architecture& chip;
  amp_precision type;
  std::size_t size = partial_bytes(type);
  std::size_t start = (copied(chip, 0) + alone(reduce_cost(chip, partial_type(type), 1, 1), chip)).value;

  /// Cycles of `parts` of `elements` each, without `start` and their way.
  [[nodiscard]] constexpr std::size_t more(std::size_t elements, std::size_t parts) const {
    return plan_reduction(chip, partial_type(type), elements, parts).estimate.value - start -
           elements * size / chip.exchange_width;
  }
  /// Partial results that a tile receives.
  [[nodiscard]] constexpr std::size_t received(std::size_t elements, std::size_t parts) const {
    if (parts == 1) return 0;
    const std::size_t together = plan_reduction(chip, partial_type(type), elements, parts).together;
    return together + divided_up(parts, together);
  }
};

/// Parts of the rows that are made, and the most that one of them makes and reads.
struct row_cut {
  std::size_t parts = 1, made = 1, seen = 1;
};

/// A convolution with the numbers that all of its cuts have.
struct conv_numbers {
  const architecture& chip;
  const conv_shape& s;
  amp_array array = array_of(chip, s.type);
  std::size_t size = operand_bytes(s.type), width = s.made_columns(), taps = s.taps();
  std::size_t dilation = s.turned_round ? s.stride : 1,
              across = divided_up(width, dilation);  // across: columns that a tap meets
  std::size_t copies = 2 * copied(chip, 0).value;
  sums_times sums{chip, s.type};
  stream_line first = stream_line::below([this](std::size_t n) { return pass_bundles(array, s.type, n, true); });
  stream_line later = stream_line::below([this](std::size_t n) { return pass_bundles(array, s.type, n, false); });
  stream_line row = stream_line::below([this](std::size_t n) { return row_bundles(array, s.type, n); });
};

/// Cycles of a product over the steps of what grows.
struct product_line {
  std::size_t fixed = 0, slope = 0;

  [[nodiscard]] constexpr std::size_t at(std::size_t steps) const { return fixed + slope * steps; }
};

/// Cycles of an image that is streamed for each tap: for each row and place of a worker, and for four rows of the tile.
struct image_line {
  std::size_t fixed = 0, row = 0, place = 0, four_rows = 0;

  [[nodiscard]] constexpr std::size_t at(std::size_t rows, std::size_t places, std::size_t all_rows) const {
    return fixed + row * rows + place * places + four_rows * all_rows / 4;
  }
};

/// A cut of channels and groups.
class conv_times {
 public:
  constexpr conv_times() = default;
  constexpr conv_times(const conv_numbers& n, std::size_t channels, const conv_plan& p)
      : plan_{p},
        out_{channel_cut(channels, p.channel_parts).most()},
        in_{channel_cut(n.s.in_channels / n.s.groups, p.summed_parts).most()},
        groups_{divided_up(n.s.groups, p.group_parts)},
        made_{groups_ * out_ * n.width},
        read_{groups_ * in_ * n.s.seen_columns()},
        weights_{groups_ * out_ * in_ * n.taps},
        sharing_{p.sharing(n.chip)} {
    const conv_work one = work_of(n.s, 1, 1, in_, out_, groups_);
    const std::size_t supervisor = array_cost(n.chip, one).supervisor;
    if (n.taps == 1) product_ = product(n, in_, supervisor);
    if (n.taps > 1) image_ = image(n, in_, n.taps, supervisor);
    has_wide_ = can(conv_method::wide_channels, one), has_all_ = can(conv_method::all_channels, one),
    has_swapped_ = can(conv_method::swapped, one);
    has_few_ = can(conv_method::few_channels, one), has_one_ = can(conv_method::channel_by_channel, one);
    const std::size_t elsewhere =
        groups_ * in_ * n.width * n.size / algorithms::min(n.size, n.chip.copy_width);  // a row of an image
    of_rows_ = elsewhere * n.s.kernel_columns, of_taps_ = n.taps == 1 ? 0 : elsewhere * n.taps;
    if (has_wide_)
      wide_ = image(n, in_ * n.s.kernel_columns, n.s.kernel_rows,
                    expanded_cost(n.chip, one, conv_method::wide_channels).supervisor);
    if (has_all_) product_ = product(n, in_ * n.taps, expanded_cost(n.chip, one, conv_method::all_channels).supervisor);
    if (has_few_) few_ = few_channels(n, one), of_zeros_ = n.dilation == 1 ? 0 : groups_ * in_ * n.dilation * n.width;
    if (!has_swapped_) return;
    const auto passes = [&](std::size_t count) {
      return alone(matmul_cost(n.chip, {out_, in_ * n.taps, count * n.array.units, groups_, n.s.type}), n.chip).value;
    };
    swapped_.slope = passes(2) - passes(1), swapped_.fixed = passes(1) - swapped_.slope;
  }

  [[nodiscard]] constexpr const conv_plan& plan() const { return plan_; }

  /// Cycles of a tile that makes `high` rows of what it reads in `seen`, or of more, at least.
  [[nodiscard]] constexpr std::size_t least(const conv_numbers& n, std::size_t high, std::size_t seen) const {
    const std::size_t workers = n.chip.workers, rows = (high + workers - 1) / workers,
                      places = (high * n.width + workers - 1) / workers;
    std::size_t work = 0;
    if (n.dilation == 1) {
      work = n.taps == 1 ? product_.at(places) : image_.at(rows, places, high);
    } else {
      const std::size_t met = (high + n.dilation - 1) / n.dilation, positions = (met * n.across + workers - 1) / workers;
      work = n.taps == 1 ? product_.at(positions) : image_.at((met + workers - 1) / workers, positions, high);
    }
    if (has_wide_) work = algorithms::min(work, wide_.at(rows, places, high) + of_rows_ * seen);
    if (has_all_) work = algorithms::min(work, product_.at(places) + of_taps_ * high);
    if (has_swapped_) {
      const std::size_t passes = (high * n.width + n.array.units - 1) / n.array.units;
      work = algorithms::min(work, swapped_.at(passes) + of_taps_ * high);
    }
    if (has_few_) work = algorithms::min(work, few_.at(rows, places, high) + of_zeros_ * seen);
    if (has_one_)
      work = algorithms::min<std::size_t>(work, alone(channel_by_channel_cost(n.chip, of_rows(n, high)), n.chip).value);
    const std::size_t width = n.chip.exchange_width, made = made_ * high;
    const std::size_t brought = (read_ * seen / sharing_ + weights_) * n.size / width,
                      back = made / plan_.summed_parts * n.size / width;
    return n.copies + work + brought + back + (plan_.summed_parts == 1 ? 0 : n.sums.start + made * n.sums.size / width);
  }
  /// Cycles that are taken beside these.
  [[nodiscard]] constexpr std::size_t more(const conv_numbers& n, std::size_t high) const {
    return plan_.summed_parts == 1 ? 0 : n.sums.more(made_ * high, plan_.summed_parts);
  }

  /// Bytes that they take on a tile, at least: without taps that are put together.
  [[nodiscard]] constexpr std::size_t held(const conv_numbers& n, std::size_t high, std::size_t seen) const {
    return (read_ * seen + weights_) * n.size + made_ * high * (plan_.summed_parts == 1 ? n.size : 2 * n.sums.size);
  }
  /// Pieces that the tile receives.
  [[nodiscard]] constexpr std::size_t pieces(const conv_numbers& n, std::size_t samples, const row_cut& rows) const {
    conv_plan p = plan_;
    p.row_parts = rows.parts;
    return pieces_of(p, samples, groups_ * in_, read_ * samples * rows.seen * n.size, out_, groups_ * out_,
                     made_ * samples * rows.made * n.size);
  }

 private:
  constexpr product_line product(const conv_numbers& n, std::size_t in, std::size_t supervisor) const {
    const std::size_t passes = n.chip.workers * groups_ * divided_up(out_, n.array.units),
                      later = divided_up(in, n.array.channels) - 1;
    return {supervisor + passes * (n.first.fixed + later * n.later.fixed), passes * (n.first.slope + later * n.later.slope)};
  }
  constexpr image_line image(const conv_numbers& n, std::size_t in, std::size_t taps, std::size_t supervisor) const {
    const std::size_t workers = n.chip.workers * groups_,
                      passes = workers * divided_up(in, n.array.channels) * taps * divided_up(out_, n.array.units);
    return {supervisor + workers * 5 + passes * 17, passes * n.row.fixed, passes * n.row.slope, made_};
  }
  /// Rows of four taps for four channels at once; the narrow array has a supervisor for each position.
  constexpr image_line few_channels(const conv_numbers& n, const conv_work& one) const {
    const std::size_t units = divided_up(groups_, 4 / few_channels_of(one)), workers = n.chip.workers * units,
                      kernels = n.s.kernel_rows * divided_up(n.s.kernel_columns, 4);
    const stream_line zero = stream_line::below([&](std::size_t k) { return few_channels_bundles(n.chip, one, k, true); }, 5);
    const stream_line added = stream_line::below([&](std::size_t k) { return few_channels_bundles(n.chip, one, k, false); }, 5);
    return {few_channels_cost(n.chip, of_rows(n, 0)).supervisor + workers * kernels * 17,
            workers * (zero.fixed + (kernels - 1) * added.fixed), workers * (zero.slope + (kernels - 1) * added.slope),
            is_narrow(n.chip, n.s.type) ? 4 * 2 * units * n.width : 0};
  }
  constexpr conv_work of_rows(const conv_numbers& n, std::size_t high) const {
    conv_work work = work_of(n.s, 1, 1, in_, out_, groups_);
    work.rows = high;
    return work;
  }

  conv_plan plan_{};
  std::size_t out_ = 0, in_ = 0, groups_ = 0, made_ = 0, read_ = 0, weights_ = 0,
              sharing_ = 1;                               // made_, read_: elements of a row
  std::size_t of_rows_ = 0, of_taps_ = 0, of_zeros_ = 0;  // cycles in which a row's taps are put together, or it gets its zeros
  bool has_wide_ = false, has_all_ = false, has_swapped_ = false, has_few_ = false, has_one_ = false;
  product_line product_{}, swapped_{};  // product_: of taps as channels, where there are several
  image_line image_{}, wide_{}, few_{};
};

/// `seen(rows)`: those that are read for some.
template <class Seen>
constexpr dynamic_array<row_cut> row_cuts(std::size_t rows, std::size_t tiles, const Seen& seen) {
  dynamic_array<row_cut> made;
  for (const std::size_t parts : part_list(rows, tiles))
    made.push_back({parts, divided_up(rows, parts), seen(divided_up(rows, parts))});
  return made;
}

/// The least rows that are read for each that is made.
struct rows_read {
  std::size_t seen = 1, made = 1;

  constexpr rows_read(const dynamic_array<row_cut>& all) : seen{all.front().seen}, made{all.front().made} {
    for (const row_cut& r : all) {
      if (r.seen * made < seen * r.made) seen = r.seen, made = r.made;
    }
  }
};

/// Parts of a batch, and the most samples that one has.
struct batch_cut {
  std::size_t parts = 1, samples = 1;
};
/// Many parts first.
constexpr dynamic_array<batch_cut> batch_cuts(std::size_t batch, std::size_t tiles) {
  const part_list all(batch, tiles);
  dynamic_array<batch_cut> made{all.parts.size()};
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = {all.parts[made.size() - 1 - i], divided_up(batch, all.parts[made.size() - 1 - i])};
  return made;
}

}  // namespace ipuflow::ipu::impl
