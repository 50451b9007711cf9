// SPDX-License-Identifier: BSL-1.0
// The bound of the gradient of a convolution's weights: the bytes and pieces of the plan that is taken, which is found in few
// steps.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/ipu/bounds/plan_search.hpp>
#include <ipuflow/ipu/bounds/weight_times.hpp>
#include <ipuflow/ipu/ops/weight_gradient_plan.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

namespace impl {

/// The plans of a gradient of weights.
class weight_plans {
 public:
  using plan = weight_gradient_plan;

  constexpr weight_plans(const architecture& chip, const conv_shape& asked, const conv_shape& s, std::size_t tiles)
      : numbers_{chip, s},
        tiles_{tiles},
        multiplied_{multiplications_of_weights(asked)},
        batches_{batch_cuts(s.batch, tiles)},
        rows_{row_cuts(s.out_rows(), tiles, [&](std::size_t high) { return s.rows_seen(high); })} {
    const part_list in_parts(s.groups == 1 ? s.in_channels : 1, tiles);
    for (const std::size_t o : part_list(s.out_channels, tiles)) {
      for (const std::size_t i : in_parts) {
        if (o * i <= tiles) cuts_.push_back(weight_times(numbers_, {o, i, 1, 1, {}, {}, 0}));
      }
    }
  }

  [[nodiscard]] constexpr std::size_t cuts() const { return cuts_.size(); }
  [[nodiscard]] constexpr std::size_t least_of(std::size_t cut) const {
    const std::size_t places = tiles_ / cuts_[cut].plan().pairs(), all = numbers_.s.batch * rows_[0].made,
                      high = divided_up(all, places);
    return algorithms::min(cuts_[cut].least(numbers_, high, high * each_.seen / each_.made, places),
                           cuts_[cut].least(numbers_, all, all * each_.seen / each_.made, 1));
  }
  /// The plan without partial sums is a row for itself: it may take less than those of fewer samples.
  template <class Visit>
  constexpr void each_row(std::size_t cut, const Visit& visit) const {
    const std::size_t places = tiles_ / cuts_[cut].plan().pairs(), end = batches_.size();
    const auto visit_some = [&](std::size_t r, std::size_t from, std::size_t to) {
      plan_row row{0, cut, r, from, to};
      row.least = least(row, from);
      visit(row);
    };
    std::size_t first = 0;
    for (std::size_t r = 0; r < rows_.size() && rows_[r].parts <= places; ++r) {
      while (batches_[first].parts * rows_[r].parts > places) ++first;
      const std::size_t apart = r == 0 ? end - 1 : end;
      if (first < apart) visit_some(r, first, apart);
      if (apart < end) visit_some(r, apart, end);
    }
  }
  [[nodiscard]] constexpr std::size_t least(const plan_row& row, std::size_t i) const {
    return cuts_[row.cut].least(numbers_, high(row, i), seen(row, i), partials(row, i));
  }
  [[nodiscard]] constexpr std::size_t more(const plan_row& row, std::size_t i) const {
    return cuts_[row.cut].more(numbers_, partials(row, i));
  }
  [[nodiscard]] constexpr std::size_t held(const plan_row& row, std::size_t i) const {
    return cuts_[row.cut].held(numbers_, high(row, i), seen(row, i));
  }
  [[nodiscard]] constexpr std::size_t pieces(const plan_row& row, std::size_t i) const {
    return cuts_[row.cut].pieces(batches_[i], rows_[row.rows]);
  }
  [[nodiscard]] constexpr plan plan_of(const plan_row& row, std::size_t i) const {
    plan p = cuts_[row.cut].plan();
    p.batch_parts = batches_[i].parts, p.row_parts = rows_[row.rows].parts;
    return estimated(numbers_.chip, numbers_.s, p);
  }
  [[nodiscard]] constexpr std::uint64_t passed_over(const plan& p) const {
    return impl::passed_over(numbers_.chip, numbers_.s, multiplied_, p.pairs() * p.partials());
  }
  [[nodiscard]] constexpr operation_bound bound_of(const plan& p) const {
    const conv_shape& s = numbers_.s;
    const std::size_t sums =
        channel_cut(s.out_channels, p.out_parts).most() * channel_cut(s.in_channels / s.groups, p.in_parts).most() * s.taps();
    return {p.temporary.value, p.pieces - p.partials(), numbers_.sums.received(sums, p.partials())};
  }

 private:
  constexpr std::size_t high(const plan_row& row, std::size_t i) const { return batches_[i].samples * rows_[row.rows].made; }
  constexpr std::size_t seen(const plan_row& row, std::size_t i) const { return batches_[i].samples * rows_[row.rows].seen; }
  constexpr std::size_t partials(const plan_row& row, std::size_t i) const { return batches_[i].parts * rows_[row.rows].parts; }

  weight_numbers numbers_;
  std::size_t tiles_, multiplied_;
  dynamic_array<batch_cut> batches_;
  dynamic_array<row_cut> rows_;
  rows_read each_{rows_};
  dynamic_array<weight_times> cuts_{};
};

}  // namespace impl

/// Of the plans of `plan_weight_gradient`, with its arguments.
[[nodiscard]] constexpr operation_bound weight_gradient_bound(const architecture& chip, const conv_shape& asked,
                                                              std::size_t tiles, bytes memory) {
  const conv_shape s = asked.simplified();
  const impl::weight_plans plans(chip, asked, s, tiles);
  return impl::plan_search<impl::weight_plans>(plans, memory).taken();
}

}  // namespace ipuflow::ipu
