// SPDX-License-Identifier: BSL-1.0
// The bound of a convolution, and of the gradient of its input: the bytes and pieces of the plan that is taken, which is found
// in few steps.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/ipu/bounds/conv_times.hpp>
#include <ipuflow/ipu/bounds/plan_search.hpp>
#include <ipuflow/ipu/ops/conv_plan.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

namespace impl {

/// Calls `visit(plan)` for each cut of channels and groups.
template <class Visit>
constexpr void for_each_channel_cut(const architecture& chip, const conv_shape& s, std::size_t channels, std::size_t tiles,
                                    const Visit& visit) {
  const std::size_t depth = divided_up(s.in_channels / s.groups, array_of(chip, s.type).channels);
  const part_list made(channels, tiles), summed(depth, tiles);
  std::size_t group_parts[4]{algorithms::min(tiles, s.groups)}, count = 1;
  for (const std::size_t together : {4u, 8u, 16u}) {
    if (together < s.groups && s.groups / together < group_parts[count - 1])
      group_parts[count++] = divided_up(s.groups, together);
  }
  for (std::size_t g = 0; g < count; ++g) {
    for (const std::size_t c : made) {
      if (c > 1 && group_parts[g] < s.groups) continue;
      for (const std::size_t i : summed) {
        if (c * i * group_parts[g] > tiles || (i > 1 && group_parts[g] != s.groups)) continue;
        visit(conv_plan{1, 1, c, i, group_parts[g], conv_method::array, {}, {}, 0});
      }
    }
  }
}

/// The plans of a convolution.
class conv_plans {
 public:
  using plan = conv_plan;

  constexpr conv_plans(const architecture& chip, const conv_shape& asked, const conv_shape& s, std::size_t batch,
                       std::size_t rows, std::size_t channels, std::size_t tiles, bytes memory)
      : numbers_{chip, s},
        batch_{batch},
        made_rows_{rows},
        channels_{channels},
        tiles_{tiles},
        memory_{memory},
        multiplied_{multiplications(asked, batch, rows, channels)},
        batches_{batch_cuts(batch, tiles)},
        rows_{row_cuts(rows, tiles, [&](std::size_t high) { return s.seen_for(high); })} {
    for_each_channel_cut(chip, s, channels, tiles,
                         [&](const conv_plan& p) { cuts_.push_back(conv_times(numbers_, channels, p)); });
  }

  [[nodiscard]] constexpr std::size_t cuts() const { return cuts_.size(); }
  [[nodiscard]] constexpr std::size_t least_of(std::size_t cut) const {
    const std::size_t places = tiles_ / cuts_[cut].plan().parts(), high = divided_up(batch_ * made_rows_, places);
    return cuts_[cut].least(numbers_, high, high * each_.seen / each_.made);
  }
  template <class Visit>
  constexpr void each_row(std::size_t cut, const Visit& visit) const {
    const std::size_t places = tiles_ / cuts_[cut].plan().parts();
    std::size_t first = 0;
    for (std::size_t r = 0; r < rows_.size() && rows_[r].parts <= places; ++r) {
      while (batches_[first].parts * rows_[r].parts > places) ++first;
      const std::size_t samples = batches_[first].samples;
      visit(plan_row{cuts_[cut].least(numbers_, samples * rows_[r].made, samples * rows_[r].seen), cut, r, first,
                     batches_.size()});
    }
  }
  [[nodiscard]] constexpr std::size_t least(const plan_row& row, std::size_t i) const {
    return cuts_[row.cut].least(numbers_, high(row, i), seen(row, i));
  }
  [[nodiscard]] constexpr std::size_t more(const plan_row& row, std::size_t i) const {
    return cuts_[row.cut].more(numbers_, high(row, i));
  }
  [[nodiscard]] constexpr std::size_t held(const plan_row& row, std::size_t i) const {
    return cuts_[row.cut].held(numbers_, high(row, i), seen(row, i));
  }
  [[nodiscard]] constexpr std::size_t pieces(const plan_row& row, std::size_t i) const {
    return cuts_[row.cut].pieces(numbers_, batches_[i].samples, rows_[row.rows]);
  }
  [[nodiscard]] constexpr plan plan_of(const plan_row& row, std::size_t i) const {
    plan p = cuts_[row.cut].plan();
    p.batch_parts = batches_[i].parts, p.row_parts = rows_[row.rows].parts;
    return estimated(numbers_.chip, numbers_.s, batch_, made_rows_, channels_, p, memory_);
  }
  [[nodiscard]] constexpr std::uint64_t passed_over(const plan& p) const {
    return impl::passed_over(numbers_.chip, numbers_.s, multiplied_, p.parts());
  }
  [[nodiscard]] constexpr operation_bound bound_of(const plan& p) const {
    const std::size_t samples = divided_up(batch_, p.batch_parts), high = divided_up(made_rows_, p.row_parts),
                      out = channel_cut(channels_, p.channel_parts).most();
    const std::size_t made = divided_up(numbers_.s.groups, p.group_parts) * out * samples * high * numbers_.width;
    return {p.temporary.value, p.pieces, numbers_.sums.received(made, p.summed_parts)};
  }

 private:
  constexpr std::size_t high(const plan_row& row, std::size_t i) const { return batches_[i].samples * rows_[row.rows].made; }
  constexpr std::size_t seen(const plan_row& row, std::size_t i) const { return batches_[i].samples * rows_[row.rows].seen; }

  conv_numbers numbers_;
  std::size_t batch_, made_rows_, channels_, tiles_;
  bytes memory_;
  std::size_t multiplied_;
  dynamic_array<batch_cut> batches_;
  dynamic_array<row_cut> rows_;
  rows_read each_{rows_};
  dynamic_array<conv_times> cuts_{};
};

}  // namespace impl

/// Of the plans of `plan_convolution`, with its arguments.
[[nodiscard]] constexpr operation_bound convolution_bound(const architecture& chip, const conv_shape& asked, std::size_t batch,
                                                          std::size_t rows, std::size_t channels, std::size_t tiles,
                                                          bytes memory) {
  const conv_shape s = asked.simplified();
  if (s != asked) rows = s.rows;
  const impl::conv_plans plans(chip, asked, s, batch, rows, channels, tiles, memory);
  return impl::plan_search<impl::conv_plans>(plans, memory).taken();
}

}  // namespace ipuflow::ipu
