// SPDX-License-Identifier: BSL-1.0
// Upper bounds of what the gradient of a convolution's weights holds on a tile, found as those of the convolution are.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/ipu/bounds/conv_bound.hpp>
#include <ipuflow/ipu/ops/weight_gradient_plan.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

namespace impl {

/// A cut of the channels of a gradient of weights, and of the rows that are summed over.
struct weight_cut_bound {
  const architecture& chip;
  const conv_shape& s;
  std::size_t out = 0, in = 0, groups = 1, size = 2, partial = 0;
  bool slopes_shared = false, images_shared = false;
  double fixed = 0;  // cycles
  time_line line{};

  constexpr weight_cut_bound(const architecture& on, const conv_shape& of, std::size_t out_parts, std::size_t in_parts) : chip{on}, s{of} {
    size = operand_bytes(s.type);
    out = channel_cut(s.out_channels, out_parts).most(), in = channel_cut(s.in_channels / s.groups, in_parts).most();
    groups = s.groups == 1 ? 1 : divided_up(out, s.out_channels / s.groups);
    partial = in * s.taps() * out * partial_bytes(s.type);
    slopes_shared = in_parts % 2 == 0 && chip.tiles_per_bus == 2;
    images_shared = in_parts % 2 != 0 && out_parts % 2 == 0 && s.groups == 1 && chip.tiles_per_bus == 2;
    fixed = 2 * static_cast<double>(copied(chip, 0).value);
    line = line_of(1, s.batch * s.out_rows());
  }

  constexpr time_line line_of(std::size_t from, std::size_t to) const {
    const auto time = [&](std::size_t n) { return alone(weight_gradient_cost(chip, s, in, n, out), chip).value; };
    return time_line::below(time, from, to, divided_up(16, s.out_columns()), 0);  // channels of a pass
  }
  constexpr std::size_t image(std::size_t high) const { return groups * in * s.rows_seen(high) * s.columns * size; }
  constexpr std::size_t slope(std::size_t high) const { return out * high * s.out_columns() * size; }
  constexpr double of_sample(std::size_t high) const {
    const auto bytes = static_cast<double>(image(high)) / (images_shared ? 2 : 1) + static_cast<double>(slope(high)) / (slopes_shared ? 2 : 1);
    return bytes / static_cast<double>(chip.exchange_width);
  }
  /// Of the sum of several partial results: that many bytes come to each tile, all in all.
  constexpr double sums(std::size_t samples, std::size_t high) const {
    return samples == s.batch && high == s.out_rows() ? 0 : static_cast<double>(copied(chip, partial).value);
  }
  constexpr double time(std::size_t samples, std::size_t high) const {
    return fixed + sums(samples, high) + line.fixed + line.slope * static_cast<double>(samples * high) + static_cast<double>(samples) * of_sample(high);
  }
  constexpr bool is_in_time(std::size_t samples, std::size_t high, double limit) const {
    const auto work = static_cast<double>(alone(weight_gradient_cost(chip, s, in, samples * high, out), chip).value);
    return fixed + sums(samples, high) + work + static_cast<double>(samples) * of_sample(high) <= limit;
  }
  constexpr std::size_t within(const time_line& work, std::size_t high, std::size_t most, double limit) const {
    const double left = limit - fixed - work.fixed, each = work.slope * static_cast<double>(high) + of_sample(high);
    const double summed = left - sums(1, high);
    if (most == s.batch && left >= each * static_cast<double>(most)) return most;
    if (summed <= 0) return 0;
    return summed < each * static_cast<double>(most) ? static_cast<std::size_t>(summed / each) : most;
  }
  constexpr std::uint64_t held(std::size_t samples, std::size_t high) const {
    const std::size_t read = samples * (image(high) + slope(high)), taps = taps_put_together(s, in, samples * high, out) * size;
    return read + algorithms::max(partial + taps, 2 * partial);
  }
};

/// Numbers of a block of sums.
constexpr std::size_t sums_of(const conv_shape& s, const weight_gradient_plan& p) {
  return channel_cut(s.out_channels, p.out_parts).most() * channel_cut(s.in_channels / s.groups, p.in_parts).most() * s.taps();
}

template <class Visit>
constexpr void for_each_weight_cut(const architecture& chip, const conv_shape& s, std::size_t tiles, const Visit& visit) {
  const part_list in_parts(s.groups == 1 ? s.in_channels : 1, tiles), out_parts(s.out_channels, tiles), row_parts(s.out_rows(), tiles);
  for (const std::size_t o : out_parts) {
    for (const std::size_t i : in_parts) {
      if (o * i > tiles) continue;
      const weight_cut_bound cut(chip, s, o, i);
      for (const std::size_t r : row_parts) {
        const std::size_t places = tiles / (o * i * r);
        if (places > 0) visit(cut, weight_gradient_plan{o, i, 1, r, {}, {}, 0}, divided_up(s.batch, algorithms::min(s.batch, places)));
      }
    }
  }
}

}  // namespace impl

/// Of the plans of `plan_weight_gradient`, with its arguments.
[[nodiscard]] constexpr operation_bound weight_gradient_bound(const architecture& chip, const conv_shape& asked, std::size_t tiles, bytes memory) {
  using plan = impl::weight_gradient_plan;
  const conv_shape s = asked.simplified();
  impl::first_plans<plan> first;
  impl::for_each_weight_cut(chip, s, tiles, [&](const impl::weight_cut_bound& cut, plan tried, std::size_t least) {
    tried.batch_parts = divided_up(s.batch, least);
    first.offer(tried, cut.time(least, divided_up(s.out_rows(), tried.row_parts)));
  });
  plan known;
  for (std::size_t i = 0; i < first.count; ++i) {
    const plan tried = impl::estimated(chip, s, first.plans[i]);
    if (tried.temporary <= memory ? tried.estimate < known.estimate : known.temporary > memory && tried.temporary < known.temporary) known = tried;
  }
  const std::size_t sums = known.partials();  // some of them are added up first, where there are many
  const std::size_t together = sums > 1 ? impl::plan_reduction(chip, impl::partial_type(s.type), impl::sums_of(s, known), sums).together : 1;
  operation_bound most{known.temporary.value, impl::most_pieces(known.pieces - sums) + 2 * (together + divided_up(sums, together))};
  if (known.temporary > memory) return impl::too_large(most);
  const double limit = impl::slowest_of(known.estimate.value);
  impl::for_each_weight_cut(chip, s, tiles, [&](const impl::weight_cut_bound& cut, const plan& p, std::size_t least) {
    const std::size_t high = divided_up(s.out_rows(), p.row_parts);
    const double line_limit = impl::below_lines(limit);
    std::size_t samples = cut.within(cut.line, high, s.batch, line_limit);
    for (std::size_t round = 0; round < 5 && samples > least; ++round) {
      if (cut.held(samples, high) <= most.temporary) break;
      const std::size_t fewer = cut.within(cut.line_of(least * high, samples * high), high, samples, line_limit);
      if (fewer == samples) break;
      samples = fewer;
    }
    for (std::size_t held_by = samples; samples >= least && samples > 0 && cut.held(held_by, high) > most.temporary;) {
      plan tried = p;
      tried.batch_parts = divided_up(s.batch, samples);
      if (cut.is_in_time(samples, high, limit) && static_cast<double>(impl::estimated(chip, s, tried).estimate.value) <= limit) {
        most.temporary = cut.held(held_by, high);
        return;
      }
      held_by = samples - 1;
      samples -= algorithms::max<std::size_t>(1, samples / 16);
    }
  });
  return impl::with_margin(most, memory);
}

}  // namespace ipuflow::ipu
