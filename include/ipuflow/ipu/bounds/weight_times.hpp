// SPDX-License-Identifier: BSL-1.0
// Lower bounds of the time of plans of a gradient of weights: all but the sums of partial results is what the planner has.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/ipu/bounds/conv_times.hpp>
#include <ipuflow/ipu/ops/weight_gradient_plan.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu::impl {

/// A gradient of weights with the numbers that all of its cuts have.
struct weight_numbers {
  const architecture& chip;
  const conv_shape& s;
  std::size_t size = operand_bytes(s.type), width = s.out_columns(), channels = array_of(chip, s.type).channels;
  std::size_t copies = 2 * copied(chip, 0).value;
  sums_times sums{chip, s.type};
};

/// A cut of the pairs of channels.
class weight_times {
 public:
  constexpr weight_times() = default;
  constexpr weight_times(const weight_numbers& n, const weight_gradient_plan& p)
      : plan_{p},
        out_{channel_cut(n.s.out_channels, p.out_parts).most()},
        in_{channel_cut(n.s.in_channels / n.s.groups, p.in_parts).most()},
        groups_{n.s.groups == 1 ? 1 : divided_up(out_, n.s.out_channels / n.s.groups)},
        sums_{in_ * n.s.taps() * out_},
        image_{groups_ * in_ * n.s.columns * n.size},
        slope_{out_ * n.width * n.size} {
    const bool pairs = n.chip.tiles_per_bus == 2, slopes_shared = p.in_parts % 2 == 0;
    slopes_ = pairs && slopes_shared ? 2 : 1,
    images_ = pairs && !slopes_shared && p.out_parts % 2 == 0 && n.s.groups == 1 ? 2 : 1;
    const std::size_t together = taps_put_together(n.s, in_, 1, out_);
    taps_ = together * n.size;
    is_single_ = n.s.taps() > 1 && together == 0;
    if (is_single_) return;
    of_taps_ = taps_ / algorithms::min(n.s.stride == 1 ? n.size * n.width : n.size, n.chip.copy_width);
    const std::size_t in = in_ * n.s.taps(), out = algorithms::min(out_, n.s.out_channels / n.s.groups);
    straight_ = product(n, in, out), turned_ = product(n, out, in);
  }

  [[nodiscard]] constexpr const weight_gradient_plan& plan() const { return plan_; }

  /// Cycles of a tile that has `high` rows of the gradient and `seen` of the image, or more, and is one of at most `partials`.
  [[nodiscard]] constexpr std::size_t least(const weight_numbers& n, std::size_t high, std::size_t seen,
                                            std::size_t partials) const {
    const std::size_t width = n.chip.exchange_width, depth = (high * n.width + n.channels - 1) / n.channels;
    const std::size_t work = is_single_ ? alone(weight_gradient_cost(n.chip, n.s, in_, high, out_), n.chip).value
                                        : algorithms::min(straight_.at(depth), turned_.at(depth)) + of_taps_ * high;
    const std::size_t brought = (image_ * seen / images_ + slope_ * high / slopes_) / width,
                      back = sums_ / partials * n.size / width;
    return n.copies + work + brought + back + (partials == 1 ? 0 : n.sums.start + sums_ * n.sums.size / width);
  }
  /// Cycles that are taken beside these.
  [[nodiscard]] constexpr std::size_t more(const weight_numbers& n, std::size_t partials) const {
    return partials == 1 ? 0 : n.sums.more(sums_, partials);
  }

  /// Bytes that they take on a tile, at least.
  [[nodiscard]] constexpr std::size_t held(const weight_numbers& n, std::size_t high, std::size_t seen) const {
    return image_ * seen + slope_ * high + sums_ * n.sums.size + taps_ * high;
  }
  /// Pieces that the tile receives.
  [[nodiscard]] constexpr std::size_t pieces(const batch_cut& batch, const row_cut& rows) const {
    weight_gradient_plan p = plan_;
    p.batch_parts = batch.parts, p.row_parts = rows.parts;
    return pieces_of(p, batch.samples, groups_ * in_, image_ * batch.samples * rows.seen, out_,
                     slope_ * batch.samples * rows.made);
  }

 private:
  /// Over what is summed, in groups of channels.
  constexpr product_line product(const weight_numbers& n, std::size_t rows, std::size_t columns) const {
    const std::size_t one = alone(matmul_cost(n.chip, {rows, n.channels, columns, groups_, n.s.type}), n.chip).value;
    const std::size_t two = alone(matmul_cost(n.chip, {rows, 2 * n.channels, columns, groups_, n.s.type}), n.chip).value;
    return {2 * one - two, two - one};
  }

  weight_gradient_plan plan_{};
  std::size_t out_ = 0, in_ = 0, groups_ = 1, sums_ = 0, image_ = 0, slope_ = 0, slopes_ = 1,
              images_ = 1;              // image_, slope_: bytes of a row
  std::size_t taps_ = 0, of_taps_ = 0;  // bytes of a row's taps that are put together, and cycles
  bool is_single_ = false;
  product_line straight_{}, turned_{};
};

}  // namespace ipuflow::ipu::impl
