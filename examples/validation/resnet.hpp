// SPDX-License-Identifier: BSL-1.0
// ResNet-50 as the training rows ran it: one chip a replica, batch norm, values kept at the sums and in the last group
// of blocks, all else recomputed. Its programs would take a minute to count word by word, so each layer takes what its
// planner estimates; for two kinds of block a test compares that with the counted program.
#pragma once

#include <ipuflow/ipu/machine/chip_system.hpp>
#include <ipuflow/ipu/ops/conv_plan.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace validation {

using namespace ipuflow;
using namespace ipuflow::ipu;

struct pass_cycles {
  cycles forward, backward;

  constexpr pass_cycles& operator+=(const pass_cycles& more) {
    forward += more.forward;
    backward += more.backward;
    return *this;
  }
};

/// Layers on all tiles of a chip, in half, as their planners see them.
class estimated_layers {
 public:
  estimated_layers(const architecture& chip, double memory_proportion)
      : chip_{chip},
        memory_{static_cast<std::uint64_t>(static_cast<double>(chip.tile_memory.value) * memory_proportion)} {}

  /// A convolution without bias, and the addition of its gradient to the sum over micro-batches.
  pass_cycles convolution(const conv_shape& s, bool first = false) const {
    const std::size_t tiles = chip_.tiles;
    pass_cycles made;
    made.forward =
        plan_convolution(chip_, s, s.batch, s.out_rows(), s.out_channels / s.groups, tiles, memory_).estimate;
    if (!first)
      made.backward =
          plan_convolution(chip_, s.turned(), s.batch, s.rows, s.in_channels / s.groups, tiles, memory_).estimate;
    made.backward += plan_weight_gradient(chip_, s, tiles, memory_).estimate;
    const std::size_t weights = divided_up(s.out_channels * s.in_channels / s.groups * s.taps(), tiles);
    made.backward += superstep(scaled_add_cost(chip_, element_type::f16, weights));
    return made;
  }

  /// Two sums over each channel, the square, and four passes to normalise, scale and shift; backwards four sums, and
  /// two passes to normalise again, a product, four passes.
  pass_cycles batch_norm(std::size_t batch, std::size_t channels, std::size_t places) const {
    const std::size_t here = divided_up(batch * channels * places, chip_.tiles);
    const auto passes = [&](std::size_t n) {
      vertex_cost all = binary_cost(chip_, binary::mul, element_type::f16, here);
      all.bundles += (n - 1) * loop_bundles(chip_, binary::mul, element_type::f16, here);
      return superstep(all);
    };
    const std::size_t planes = divided_up(batch * channels, chip_.tiles);
    const cycles word_in{divided_up(here * 2, 2 * chip_.exchange_width)};  // half of a plane is on its tile already
    const cycles sums = superstep(reduce_cost(chip_, element_type::f16, places, planes)) + word_in +
                        chip_.exchange_latency +
                        superstep(reduce_cost(chip_, element_type::f16, batch, divided_up(channels, chip_.tiles)));
    return {sums * 2 + elementwise(batch * channels * places, unary::square) + passes(4),
            sums * 4 + passes(2) + passes(1) + passes(4)};
  }

  cycles elementwise(std::size_t n, const unary& op) const {
    return superstep(unary_cost(chip_, op, element_type::f16, divided_up(n, chip_.tiles)));
  }
  pass_cycles relu(std::size_t n) const {
    const std::size_t here = divided_up(n, chip_.tiles);
    return {elementwise(n, unary::relu), superstep(gradient_cost(chip_, gradient::relu, element_type::f16, here))};
  }
  /// Of two branches; backwards the gradients of what both read are added.
  pass_cycles sum(std::size_t n) const {
    const cycles one = superstep(binary_cost(chip_, binary::add, element_type::f16, divided_up(n, chip_.tiles)));
    return {one, one};
  }

 private:
  cycles superstep(const vertex_cost& cost) const { return chip_.sync + alone(cost, chip_); }

  architecture chip_;
  bytes memory_;
};

/// Three convolutions, 1 x 1, 3 x 3 and 1 x 1 to four times the channels, beside the identity or a fourth.
inline pass_cycles bottleneck(const estimated_layers& layers, std::size_t batch, std::size_t in, std::size_t middle,
                              std::size_t rows, std::size_t stride, bool projected) {
  const std::size_t low = rows / stride, out = 4 * middle;
  const auto conv = [&](std::size_t from, std::size_t to, std::size_t side, std::size_t kernel, std::size_t by) {
    pass_cycles all =
        layers.convolution({batch, from, side, side, to, kernel, kernel, by, kernel / 2, 1, amp_precision::half_half});
    const std::size_t places = (side / by) * (side / by);
    all += layers.batch_norm(batch, to, places);
    return all;
  };
  pass_cycles all = conv(in, middle, rows, 1, 1);
  all += layers.relu(batch * middle * rows * rows);
  all += conv(middle, middle, rows, 3, stride);
  all += layers.relu(batch * middle * low * low);
  all += conv(middle, out, low, 1, 1);
  if (projected) all += conv(in, out, rows, 1, stride);
  all += layers.sum(batch * out * low * low);
  all += layers.relu(batch * out * low * low);
  return all;
}

/// Images a second of a chip: a micro-batch comes from the host in bytes, goes forwards, is recomputed but for the last
/// group, and goes backwards.
inline double resnet50_rate(const chip_system& all, std::size_t batch, double memory_proportion) {
  const estimated_layers layers(all.chip, memory_proportion);
  pass_cycles total = layers.convolution({batch, 3, 224, 224, 64, 7, 7, 2, 3, 1, amp_precision::half_half}, true);
  total += layers.batch_norm(batch, 64, 112 * 112);
  total += layers.relu(batch * 64 * 112 * 112);
  constexpr std::array<std::size_t, 4> blocks{3, 4, 6, 3};
  std::size_t in = 64, rows = 56;
  cycles again = total.forward;
  for (std::size_t group = 0; group < blocks.size(); ++group) {
    const std::size_t middle = std::size_t{64} << group;
    for (std::size_t b = 0; b < blocks[group]; ++b) {
      const std::size_t stride = b == 0 && group > 0 ? 2 : 1;
      const pass_cycles one = bottleneck(layers, batch, in, middle, rows, stride, b == 0);
      total += one;
      if (group + 1 < blocks.size()) again += one.forward;
      in = 4 * middle;
      rows /= stride;
    }
  }
  const cycles images = host_time(all, bytes{batch * 3 * 224 * 224}, sharing_a_machine(all));
  const cycles micro_batch = total.forward + again + total.backward + images;
  return static_cast<double>(batch) / (micro_batch / all.chip.clock).value;
}

}  // namespace validation
