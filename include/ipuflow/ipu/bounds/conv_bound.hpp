// SPDX-License-Identifier: BSL-1.0
// Upper bounds of what a convolution, and the gradient of its input, hold on a tile. For every cut of channels and rows the time is a line over the
// samples of a tile, so that the most samples a plan can have in the time of a known one follow at once.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/ipu/bounds/operation_bound.hpp>
#include <ipuflow/ipu/ops/conv_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ipuflow::ipu {

namespace impl {

/// The slowest time of a plan that may be taken when one of `fastest` cycles is there.
constexpr double slowest_of(std::uint64_t fastest) { return static_cast<double>(fastest) * 17 / 16; }
/// Times lie a little below their lines, between the steps of vectors and workers.
constexpr double below_lines(double limit) { return limit * 9 / 8; }

/// The margin that a test over thousands of shapes holds, and no proof: times between the steps of vectors and workers.
constexpr operation_bound with_margin(const operation_bound& most, bytes memory) {
  return {algorithms::min<std::uint64_t>(most.temporary + most.temporary / 8, memory.value), most.pieces};
}

/// The most pieces of the plan that is taken, which has the fewest of those that are as fast; the known one is not quite as fast at times [capped].
constexpr std::uint64_t most_pieces(std::size_t known) { return 3 * known + 16; }

/// The bound where no plan is known that fits: the plan that needs least is taken, whose pieces may be more [capped].
constexpr operation_bound too_large(const operation_bound& known) { return {known.temporary, 8 * known.pieces + 16}; }

/// One cut of channels of a convolution: all that is the same for it however samples and rows are cut.
class conv_cut_bound {
 public:
  static constexpr std::size_t methods = static_cast<std::size_t>(conv_method::channel_by_channel) + 1;

  constexpr conv_cut_bound(const architecture& chip, const conv_shape& s, std::size_t batch, std::size_t rows, std::size_t channels, const conv_plan& p,
                           bytes memory)
      : chip_{chip}, s_{s}, plan_{p}, made_rows_{rows}, batch_{batch}, channels_{channels}, memory_{memory}, width_{static_cast<double>(chip.exchange_width)}, size_{operand_bytes(s.type)} {
    out_ = channel_cut(channels, p.channel_parts).most(), in_ = channel_cut(s.in_channels / s.groups, p.summed_parts).most();
    groups_ = divided_up(s.groups, p.group_parts);
    weights_ = groups_ * out_ * in_ * s.taps();
    const double once = static_cast<double>(copied(chip, 0).value);
    fixed_ = (p.summed_parts > 1 ? 3 : 2) * once + static_cast<double>(weights_ * size_) / width_;
    sharing_ = static_cast<double>(p.sharing(chip));
    for (std::size_t m = 0; m < methods; ++m) {
      is_possible_[m] = can(static_cast<conv_method>(m), work_of(s, 1, 1, in_, out_, groups_));
      if (is_possible_[m]) lines_[m] = line(m, 1, batch * rows);
    }
  }

  /// The least time of `samples` of `high` rows.
  constexpr double time(std::size_t samples, std::size_t high) const {
    double least = std::numeric_limits<double>::max();
    for (std::size_t m = 0; m < methods; ++m) {
      if (is_possible_[m]) least = algorithms::min(least, lines_[m].fixed + lines_[m].slope * static_cast<double>(samples * high));
    }
    return fixed_ + least + static_cast<double>(samples) * of_sample(high);
  }

  /// The most that a tile holds in that time: the line is drawn anew for what it leaves, as long as that shortens it.
  constexpr void raise(std::uint64_t& most, std::size_t high, std::size_t least_samples, std::size_t most_samples, double limit) const {
    for (std::size_t m = 0; m < methods; ++m) {
      if (!is_possible_[m]) continue;
      const double line_limit = below_lines(limit);
      std::size_t samples = within(lines_[m], high, most_samples, line_limit);
      for (std::size_t round = 0; round < 5 && samples > least_samples; ++round) {
        if (held(m, samples, high) <= most) break;
        const std::size_t fewer = within(line(m, least_samples * high, samples * high), high, samples, line_limit);
        if (fewer == samples) break;
        samples = fewer;
      }
      raise_where_fastest(most, m, high, least_samples, samples, limit);
    }
  }

 private:
  /// By the most samples, not more than these, for which the codelet is one that is taken.
  constexpr void raise_where_fastest(std::uint64_t& most, std::size_t m, std::size_t high, std::size_t least, std::size_t samples, double limit) const {
    for (std::size_t held_by = samples; samples >= least && samples > 0;) {
      const std::uint64_t now = held(m, held_by, high);
      if (now <= most) return;
      if (is_in_time(m, samples, high, limit) && may_be_fastest(m, samples, high) && is_taken_in(samples, high, limit)) {
        most = now;
        return;
      }
      held_by = samples - 1;
      samples -= algorithms::max<std::size_t>(1, samples / 16);
    }
  }
  constexpr bool is_in_time(std::size_t m, std::size_t samples, std::size_t high, double limit) const {
    const auto work = static_cast<double>(compute(m, work_of(s_, samples, high, in_, out_, groups_)));
    return fixed_ + work + static_cast<double>(samples) * of_sample(high) <= limit;
  }
  /// With what the rearrangement of halves takes.
  constexpr bool is_taken_in(std::size_t samples, std::size_t high, double limit) const {
    conv_plan tried = plan_;
    tried.batch_parts = divided_up(batch_, samples), tried.row_parts = divided_up(made_rows_, high);
    return static_cast<double>(estimated(chip_, s_, batch_, made_rows_, channels_, tried, memory_).estimate.value) <= limit;
  }
  constexpr bool may_be_fastest(std::size_t m, std::size_t samples, std::size_t high) const {
    const conv_work work = work_of(s_, samples, high, in_, out_, groups_);
    const std::uint64_t mine = compute(m, work) - compute(m, work) / 8;  // times are lines but for steps
    for (std::size_t other = 0; other < methods; ++other) {
      if (is_possible_[other] && other != m && compute(other, work) < mine) return false;
    }
    return true;
  }
  constexpr std::uint64_t compute(std::size_t m, const conv_work& work) const {
    return alone(conv_cost(chip_, work, static_cast<conv_method>(m)), chip_).value;
  }
  /// Of that many rows, for which at least this share of what is read is seen.
  constexpr std::uint64_t compute(std::size_t m, std::size_t rows) const {
    conv_work work = work_of(s_, 1, 1, in_, out_, groups_);
    work.rows = rows, work.seen_rows = rows * algorithms::min(s_.seen_rows(), made_rows_) / made_rows_;
    return compute(m, work);
  }
  /// Rows of a dilated image that meet nothing take no time.
  constexpr time_line line(std::size_t m, std::size_t from, std::size_t to) const {
    const std::size_t still = s_.turned_round ? s_.stride - 1 : 0;
    return time_line::below([&](std::size_t n) { return compute(m, n); }, from, to, chip_.workers, still);
  }
  /// The most samples in that time.
  constexpr std::size_t within(const time_line& work, std::size_t high, std::size_t most, double limit) const {
    const double left = limit - fixed_ - work.fixed, each = work.slope * static_cast<double>(high) + of_sample(high);
    if (left <= 0) return 0;
    return left < each * static_cast<double>(most) ? static_cast<std::size_t>(left / each) : most;
  }
  constexpr std::uint64_t held(std::size_t m, std::size_t samples, std::size_t high) const {
    const conv_work work = work_of(s_, samples, high, in_, out_, groups_);
    const std::size_t seen = groups_ * in_ * work.seen_rows * s_.seen_columns(), made = groups_ * out_ * work.rows * work.width;
    const std::size_t expanded = expanded_elements(work, static_cast<conv_method>(m)) * size_, partial = made * partial_bytes(s_.type);
    return plan_.summed_parts > 1 ? (seen + weights_) * size_ + partial + algorithms::max(expanded, partial) : (seen + weights_ + made) * size_ + expanded;
  }
  constexpr double of_sample(std::size_t high) const {
    const conv_work work = work_of(s_, 1, high, in_, out_, groups_);
    const auto seen = static_cast<double>(groups_ * in_ * work.seen_rows * s_.seen_columns() * size_);
    const auto made = static_cast<double>(groups_ * out_ * work.rows * work.width);
    const double back = made * static_cast<double>(size_) / static_cast<double>(plan_.summed_parts);
    const double sums = plan_.summed_parts > 1 ? made * static_cast<double>(partial_bytes(s_.type)) : 0;
    return (seen / sharing_ + back + sums) / width_;
  }

  const architecture& chip_;
  const conv_shape& s_;
  conv_plan plan_;
  std::size_t made_rows_ = 1, batch_ = 1, channels_ = 1;
  bytes memory_{};
  double width_ = 1;
  std::size_t size_ = 0, out_ = 0, in_ = 0, groups_ = 0, weights_ = 0;
  double fixed_ = 0, sharing_ = 1;
  bool is_possible_[methods]{};
  time_line lines_[methods]{};
};

/// Calls `visit(plan)` for each cut of channels and groups.
template <class Visit>
constexpr void for_each_channel_cut(const architecture& chip, const conv_shape& s, std::size_t channels, std::size_t tiles, const Visit& visit) {
  const std::size_t depth = divided_up(s.in_channels / s.groups, array_of(chip, s.type).channels);
  const part_list made(channels, tiles), summed(depth, tiles);
  std::size_t group_parts[4]{algorithms::min(tiles, s.groups)}, count = 1;
  for (const std::size_t together : {4u, 8u, 16u}) {
    if (together < s.groups && s.groups / together < group_parts[count - 1]) group_parts[count++] = divided_up(s.groups, together);
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

}  // namespace impl

/// Of the plans of `plan_convolution`, with its arguments.
[[nodiscard]] constexpr operation_bound convolution_bound(const architecture& chip, const conv_shape& asked, std::size_t batch, std::size_t rows,
                                                          std::size_t channels, std::size_t tiles, bytes memory) {
  const conv_shape s = asked.simplified();
  if (s != asked) rows = s.rows;
  const impl::part_list row_parts(rows, tiles);
  impl::first_plans<impl::conv_plan> first;
  std::size_t cuts = 0, at = 0;
  impl::for_each_channel_cut(chip, s, channels, tiles, [&](const impl::conv_plan&) { ++cuts; });
  dynamic_array<double> least{cuts};  // of each cut of channels
  impl::for_each_channel_cut(chip, s, channels, tiles, [&](const impl::conv_plan& p) {
    const impl::conv_cut_bound cut(chip, s, batch, rows, channels, p, memory);
    double& here = least[at++] = std::numeric_limits<double>::max();
    for (const std::size_t r : row_parts) {
      const std::size_t places = tiles / (p.parts() * r);
      if (places == 0) continue;
      const std::size_t samples = divided_up(batch, algorithms::min(batch, places));
      impl::conv_plan tried = p;
      tried.batch_parts = divided_up(batch, samples), tried.row_parts = r;
      const double time = cut.time(samples, divided_up(rows, r));
      here = algorithms::min(here, time);
      first.offer(tried, time);
    }
  });
  impl::conv_plan known;
  for (std::size_t i = 0; i < first.count; ++i) {
    const impl::conv_plan tried = impl::estimated(chip, s, batch, rows, channels, first.plans[i], memory);
    if (tried.temporary <= memory ? tried.estimate < known.estimate : known.temporary > memory && tried.temporary < known.temporary) known = tried;
  }
  operation_bound most{known.temporary.value, impl::most_pieces(known.pieces)};
  if (known.temporary > memory) return impl::too_large(most);
  const double limit = impl::slowest_of(known.estimate.value);
  at = 0;
  impl::for_each_channel_cut(chip, s, channels, tiles, [&](const impl::conv_plan& p) {
    if (least[at++] > impl::below_lines(limit)) return;
    const impl::conv_cut_bound cut(chip, s, batch, rows, channels, p, memory);
    for (const std::size_t r : row_parts) {
      const std::size_t places = tiles / (p.parts() * r);
      if (places > 0) cut.raise(most.temporary, divided_up(rows, r), divided_up(batch, algorithms::min(batch, places)), batch, limit);
    }
  });
  return impl::with_margin(most, memory);
}

}  // namespace ipuflow::ipu
