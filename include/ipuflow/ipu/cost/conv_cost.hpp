// SPDX-License-Identifier: BSL-1.0
// Cycles of a convolution on one tile, by each of the codelets that the vendor has for it: the array a tap at a time, the
// array over taps that became channels, the same with images and weights in each other's places, and two for groups of few
// channels. Formulas: [PL] poplibs, poplin/PerformanceEstimation.hpp and ConvModel.cpp, restated.
#pragma once

#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/ipu/cost/matmul_cost.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::ipu {

namespace impl {

/// The ways in which a tile computes its part of a convolution.
enum class conv_method : unsigned char {
  array,           // a pass of the array for every tap [PL poplin, ConvPartialnx1]
  wide_channels,   // the taps of a row of the kernel are channels
  all_channels,    // all taps are channels: a product
  swapped,         // the same, turned round: images are loaded as weights are, and weights stream
  few_channels,    // four groups of one channel, two of two or one of four: four taps at once [PL poplin, ConvPartial1xNSLIC]
  channel_by_channel  // eight groups of one channel side by side, without the array [PL poplin, ConvPartialVerticalMac]
};

/// The part of one tile: `rows` of `width` positions that are made, a kernel for each pair of channels.
struct conv_work {
  std::size_t rows = 0;  // of all samples
  std::size_t width = 0;
  std::size_t in = 0;   // channels of a group
  std::size_t out = 0;  // likewise
  std::size_t groups = 1;
  std::size_t kernel_rows = 1;
  std::size_t kernel_columns = 1;
  amp_precision type = amp_precision::half_half;
  std::size_t stride = 1;    // of what is read
  std::size_t dilation = 1;  // of what is read: a stride that is gone back
  std::size_t seen_rows = 0;  // of what is read, of all samples

  constexpr std::size_t taps() const { return kernel_rows * kernel_columns; }
};

/// Cycles to put `elements` elsewhere within a tile in runs of `run` bytes, as bundles of a worker [PL poplin,
/// ConvModel.cpp: layout copies].
constexpr std::size_t rearranged(const architecture& chip, std::size_t elements, std::size_t size, std::size_t run) {
  return divided_up(divided_up(elements * size, run < chip.copy_width ? run : chip.copy_width), chip.workers);
}

/// Rows of a worker and positions of each, where positions are shared out evenly.
struct worker_rows {
  std::size_t rows, positions;

  constexpr worker_rows(const architecture& chip, std::size_t of_tile, std::size_t width)
      : rows{divided_up(of_tile, chip.workers)}, positions{rows == 0 ? 0 : divided_up(of_tile * width, chip.workers * rows)} {}
};

/// Bundles of a worker for a row of `n` positions that are streamed through the array.
constexpr std::size_t row_bundles(const amp_array& array, amp_precision type, std::size_t n) {
  constexpr std::size_t start_half[] = {17, 29, 33, 34};
  constexpr std::size_t start_float[] = {17, 33, 44, 45};
  return (type == amp_precision::float_float ? start_float : start_half)[n < 3 ? n : 3] + (n < 3 ? 0 : array.core * (n - 3)) - 6;
}

/// A pass for every tap, all summing into outputs that are zeroed first; where the image is dilated, each tap meets one in
/// `dilation` squared positions.
constexpr vertex_cost array_cost(const architecture& chip, const conv_work& work) {
  const std::size_t height = divided_up(work.rows, work.dilation), width = divided_up(work.width, work.dilation);
  if (work.taps() == 1) return matmul_cost(chip, {height * width, work.in, work.out, work.groups, work.type});
  const amp_array& array = array_of(chip, work.type);
  const bool floats = work.type == amp_precision::float_float;
  const std::size_t in_groups = divided_up(work.in, array.channels);
  const std::size_t passes = divided_up(work.out, array.units);
  const auto [rows, n] = worker_rows(chip, height, width);
  const std::size_t worker = 17 + (work.type == amp_precision::half_half ? 1 : 0) + rows * row_bundles(array, work.type, n);
  const std::size_t tap = weight_loads(chip, work.type) + 15 + 3;
  const std::size_t inner = 14 + work.taps() * (12 + passes * tap);
  const std::size_t outer = 109 + 6 * 9 + 6 * 9 + 6 * (work.groups - 1) + 1;
  const std::size_t made = work.rows * work.width * work.out;
  const std::size_t zero = divided_up(divided_up(made, chip.workers), floats ? 2 : 4) + 5;
  const std::size_t of_groups = work.groups * (16 + 18 + 16 + in_groups * (14 + 14 + inner));
  return {.bundles = work.groups * (zero + in_groups * work.taps() * passes * worker),
          .supervisor = outer + of_groups + amp_call,
          .all_workers = true,
          .flops = 2 * height * width * work.in * work.out * work.groups * work.taps()};
}

/// Elements of an image with taps as channels, which are copied once for each position that they meet.
constexpr std::size_t expanded_elements(const conv_work& work, conv_method method) {
  const std::size_t each = work.width * work.in * work.groups;
  if (method == conv_method::wide_channels) return work.seen_rows * work.kernel_columns * each;
  const bool all = method == conv_method::all_channels || method == conv_method::swapped;
  return all && work.taps() > 1 ? work.rows * work.taps() * each : 0;
}

/// The array over taps as channels.
constexpr vertex_cost expanded_cost(const architecture& chip, const conv_work& work, conv_method method) {
  const std::size_t size = work.type == amp_precision::float_float ? 4 : 2;
  conv_work wide = work;
  wide.in *= method == conv_method::wide_channels ? work.kernel_columns : work.taps();
  wide.kernel_columns = 1;
  if (method != conv_method::wide_channels) wide.kernel_rows = 1;
  vertex_cost cost = method == conv_method::swapped
                         ? matmul_cost(chip, {work.out, wide.in, work.rows * work.width, work.groups, work.type})
                         : array_cost(chip, wide);
  cost.bundles += rearranged(chip, expanded_elements(work, method), size, size);
  return cost;
}

/// Channels of a group as the codelet for few of them has it: 1, 2 or 4, so that four groups, two or one go side by side.
constexpr std::size_t few_channels_of(const conv_work& work) {
  const std::size_t most = work.in < work.out ? work.out : work.in;
  return most == 3 ? 4 : most;
}

/// Bundles of a worker for one row of the codelet for few channels, in one of its loops.
constexpr std::size_t few_channels_row(const conv_work& work, std::size_t n, bool narrow, bool zero) {
  std::size_t row = 0;
  if (work.stride == 2)
    row = n < 3 ? 7 + (n == 1 ? 3u : 5u) + 3 : 15 + 2 * (n - 3);
  else if (n >= 5)
    row = 15 + (n - 5) + (narrow && !zero ? 3u : 0u);
  else
    row = zero ? 13 + (n > 1 ? n : 0) : (n == 1 ? 13 : 17 + n);
  return row - (work.type == amp_precision::half_float ? 1 : 0);
}

/// True if that codelet has the narrow array and sums in halves.
constexpr bool is_narrow(const architecture& chip, amp_precision type) { return array_of(chip, type).units == 8 && type == amp_precision::half_half; }
/// Bundles of a worker for `n` positions of a row; the first kernel's also zeroes what is summed into.
constexpr std::size_t few_channels_bundles(const architecture& chip, const conv_work& work, std::size_t n, bool zero) {
  const bool narrow = is_narrow(chip, work.type);
  return (narrow ? 9u : 10u) + (zero ? 1u : 0u) + few_channels_row(work, n, narrow, zero) * (array_of(chip, work.type).units / 4 == 4 ? 1 : 2) +
         (work.type == amp_precision::half_float ? 3u : 0u);
}

/// Rows of four taps, for four channels at once. An image that is dilated is written out with its zeros first.
constexpr vertex_cost few_channels_cost(const architecture& chip, const conv_work& work) {
  const bool narrow = is_narrow(chip, work.type);
  const std::size_t channels = few_channels_of(work);
  const std::size_t units = divided_up(work.groups, 4 / channels);
  const std::size_t kernels = work.kernel_rows * divided_up(work.kernel_columns, 4);
  const worker_rows share(chip, work.rows, work.width);
  const auto worker = [&](bool zero) { return 17 + share.rows * few_channels_bundles(chip, work, share.positions, zero); };
  const std::size_t load = channels == 4 ? 34 : 37 + (channels == 2 ? 12 : 10) * chip.workers;
  const std::size_t of_kernels = kernels * (load + (narrow ? 16 : 20)) + 6 * (kernels - 1) + 1;
  const std::size_t positions = work.rows * work.width;
  vertex_cost cost{.bundles = units * (worker(true) + (kernels - 1) * worker(false)),
                   .supervisor = amp_call + (narrow ? 25u : 28u) + 6 * (units - 1) + 1 +
                                 units * ((narrow ? 12u : 15u) + of_kernels + (narrow ? 2 + 2 * positions : 0)),
                   .all_workers = true,
                   .flops = 2 * positions * work.in * work.out * work.groups * work.taps()};
  if (work.dilation > 1) cost.bundles += rearranged(chip, work.seen_rows * work.dilation * work.width * work.groups * work.in, 2, 2);
  return cost;
}

/// Each worker sums its share of all rows of the kernel at all positions for itself; their sums are added. `samples` are
/// added, too, which a gradient of weights needs.
constexpr vertex_cost channel_by_channel_cost(const architecture& chip, const conv_work& work, std::size_t samples = 1) {
  const bool halves = work.type == amp_precision::half_half;
  const std::size_t units = divided_up(work.groups, halves ? 8 : 4);
  const std::size_t positions = divided_up(work.rows, work.dilation) * divided_up(work.width, work.dilation);
  const std::size_t rows = divided_up(positions * work.kernel_rows, chip.workers);
  const std::size_t steps = work.kernel_columns - 1;
  const std::size_t inner = halves ? 13 + rows * (25 + 3 * steps) : 19 + rows * (15 + 2 * steps);
  const std::size_t made = work.rows * work.width;
  const std::size_t mine = divided_up(made, chip.workers);  // of the sums of all workers, for all channels of a unit
  const std::size_t zero = 4 + 2 * made;
  const std::size_t added = halves ? 10 + (7 + chip.workers - 1) * mine : 9 + (9 + 2 * (chip.workers - 1)) * mine;
  return {.bundles = units * (zero + samples * inner + added),
          .supervisor = amp_call + 61 + 14 + 25 + units * (32 + samples * 24),
          .all_workers = true,
          .flops = 2 * samples * positions * work.groups * work.taps()};
}

/// True if the codelet is made for such work.
constexpr bool can(conv_method method, const conv_work& work) {
  const bool halves = work.type != amp_precision::float_float;
  switch (method) {
    case conv_method::array: return true;
    case conv_method::wide_channels: return work.dilation == 1 && work.kernel_columns > 1 && work.kernel_rows > 1;
    case conv_method::all_channels: return work.dilation == 1 && work.taps() > 1;
    case conv_method::swapped: return work.dilation == 1;
    case conv_method::few_channels: return halves && work.in <= 4 && work.out <= 4 && work.stride <= 2 && work.taps() > 1;
    case conv_method::channel_by_channel: return halves && work.in == 1 && work.out == 1;
  }
  return false;
}

/// Cycles of a convolution on a tile.
constexpr vertex_cost conv_cost(const architecture& chip, const conv_work& work, conv_method method = conv_method::array) {
  if (method == conv_method::array) return array_cost(chip, work);
  if (method == conv_method::few_channels) return few_channels_cost(chip, work);
  if (method == conv_method::channel_by_channel) return channel_by_channel_cost(chip, work);
  return expanded_cost(chip, work, method);
}

/// The method that takes least, with its cycles, of those that copy no more than `most` elements.
constexpr light_pair<conv_method, cycles> best_method(const architecture& chip, const conv_work& work,
                                                     std::size_t most = static_cast<std::size_t>(-1)) {
  light_pair<conv_method, cycles> best{conv_method::array, alone(conv_cost(chip, work), chip)};
  for (unsigned m = 1; m <= static_cast<unsigned>(conv_method::channel_by_channel); ++m) {
    const auto method = static_cast<conv_method>(m);
    if (!can(method, work) || expanded_elements(work, method) > most) continue;
    const cycles time = alone(conv_cost(chip, work, method), chip);
    if (time < best.second) best = {method, time};
  }
  return best;
}

}  // namespace impl

}  // namespace ipuflow::ipu
