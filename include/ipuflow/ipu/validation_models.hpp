// SPDX-License-Identifier: BSL-1.0
// What the planner and the cost tables say of a published training run: the slot of one micro-batch on the busiest
// stage of a pipelined BERT. Nothing is fitted; what the run did besides (copies between stages, dropout, code that
// changes layouts) is not counted, so the prediction should be early, and by how much is what the row tells.
#pragma once

#include <ipuflow/ipu/elementwise_cost.hpp>
#include <ipuflow/ipu/matmul_plan.hpp>

#include <cstddef>

namespace ipuflow::ipu {

struct transformer_layer {
  std::size_t micro_batch = 8;
  std::size_t sequence = 128;
  std::size_t hidden = 1024;
  std::size_t inner = 4096;
  std::size_t heads = 16;
};

/// Cycles of a product and, going back, of the two products of its gradients.
struct pass_cycles {
  cycles forward, backward;

  constexpr pass_cycles& operator+=(const pass_cycles& more) {
    forward += more.forward;
    backward += more.backward;
    return *this;
  }
};

inline pass_cycles product_cycles(const architecture& chip, std::size_t m, std::size_t k, std::size_t n,
                                  std::size_t tiles, bytes memory) {
  const auto of = [&](matmul_shape s) { return plan_matmul(chip, s, tiles, memory).estimate; };
  const cycles of_input = of({m, n, k, precision::half_half, false, true});
  const cycles of_weights = of({k, m, n, precision::half_half, true, false});
  return {of({m, k, n, precision::half_half}), of_input + of_weights};
}

/// An elementwise operation on `n` halves over all tiles, with the sync of its superstep.
inline cycles spread(const architecture& chip, const vertex_cost& on_a_tile) {
  return chip.sync + alone(on_a_tile, chip);
}

inline pass_cycles layer_cycles(const architecture& chip, const transformer_layer& l, bytes memory) {
  const std::size_t rows = l.micro_batch * l.sequence;
  pass_cycles all = product_cycles(chip, rows, l.hidden, 3 * l.hidden, chip.tiles, memory);
  all += product_cycles(chip, rows, l.hidden, l.hidden, chip.tiles, memory);
  all += product_cycles(chip, rows, l.hidden, l.inner, chip.tiles, memory);
  all += product_cycles(chip, rows, l.inner, l.hidden, chip.tiles, memory);
  const std::size_t pairs = l.micro_batch * l.heads;  // each on its share of the tiles, all at once
  const std::size_t share = chip.tiles / pairs > 0 ? chip.tiles / pairs : 1;
  all += product_cycles(chip, l.sequence, l.hidden / l.heads, l.sequence, share, memory);
  all += product_cycles(chip, l.sequence, l.sequence, l.hidden / l.heads, share, memory);
  const auto half_type = element_type::f16;
  const auto on_tile = [&](std::size_t n) { return divided_up(n, chip.tiles); };
  const std::size_t scores = on_tile(pairs * l.sequence * l.sequence);
  const std::size_t states = on_tile(rows * l.hidden);
  const std::size_t inside = on_tile(rows * l.inner);
  const auto add = [&](std::size_t n) { return spread(chip, binary_cost(chip, binary::add, half_type, n)); };
  const cycles softmax = add(scores) * 4 + spread(chip, unary_cost(chip, unary::exp, half_type, scores));
  const cycles norm = add(states) * 5;  // mean, difference, square, scale, shift
  const cycles gelu = spread(chip, unary_cost(chip, unary::gelu, half_type, inside));
  const cycles biases = add(3 * states) + add(states) * 2 + add(inside) + add(states) * 2;  // and the two residuals
  all.forward += softmax + norm * 2 + gelu + biases;
  all.backward += softmax + norm * 4 + spread(chip, gradient_cost(chip, gradient::gelu, half_type, inside)) + biases;
  return all;
}

/// Seconds between micro-batches on a stage of `layers`, which computes forwards twice and backwards once.
inline seconds stage_slot(const architecture& chip, const transformer_layer& l, std::size_t layers,
                          double memory_proportion) {
  const bytes memory{static_cast<std::uint64_t>(static_cast<double>(chip.tile_memory.value) * memory_proportion)};
  const pass_cycles one = layer_cycles(chip, l, memory);
  return (one.forward * 2 + one.backward) * layers / chip.clock;
}

}  // namespace ipuflow::ipu
