// SPDX-License-Identifier: BSL-1.0
// Plans a matrix product over tiles. Rows, columns and the summed dimension are cut into parts, one tile for each
// triple; if the blocks do not fit in the memory for temporaries, columns are done in turns. All useful cuts are tried
// and the one with the fewest estimated cycles is taken.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/cost/elementwise_cost.hpp>
#include <ipuflow/ipu/cost/matmul_cost.hpp>
#include <ipuflow/ipu/ops/reduction_plan.hpp>
#include <ipuflow/ipu/program/matrix_order.hpp>
#include <ipuflow/ipu/program/plan_options.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ipuflow::ipu {

/// out [m, n] = a [m, k] x b [k, n]; a transposed operand is given with its axes swapped.
struct matmul_shape {
  std::size_t m = 0;                              ///< rows of the result
  std::size_t k = 0;                              ///< numbers that are multiplied and summed for each of its elements
  std::size_t n = 0;                              ///< columns of the result
  amp_precision type = amp_precision::half_half;  ///< of factors and sums
  bool a_transposed = false;                      ///< a is given as [k, m]
  bool b_transposed = false;                      ///< b is given as [n, k]
  bool b_stands = false;                          ///< b is stored as it is read transposed: it is turned round where it is not
  bool in_squares = false;                        ///< both have their squares turned round before they are brought, so that tiles turn nothing
};

struct matmul_plan {
  std::size_t m_parts = 1;
  std::size_t k_parts = 1;
  std::size_t n_parts = 1;
  std::size_t turns = 1;  // of the columns
  std::size_t tiles = 0;  // that it may use
  cycles estimate{};
  bytes temporary{};  // on the fullest tile

  std::size_t m_grain = 1;  // parts are cut at multiples of these
  std::size_t k_grain = 1;
  std::size_t n_grain = 1;
  std::size_t m_step = 0;  // tiles from one part to the next; none: tiles of the same rows and depth stand side by side, so that
  std::size_t k_step = 0;  // pairs share what they get of `a`
  std::size_t n_step = 0;
  std::size_t m_turns = 1;  // parts of the rows that a tile multiplies one after the other, by the same block of b
  std::size_t k_turns = 1;  // parts of the sum, likewise, each added to those before it

  constexpr std::size_t used() const { return m_parts * k_parts * n_parts; }
  constexpr std::size_t tile_of(std::size_t i, std::size_t kk, std::size_t j) const {
    return m_step == 0 ? (i * k_parts + kk) * n_parts + j : i * m_step + kk * k_step + j * n_step;
  }
};

/// The orders in which the matrices of a product are stored, each as it is given. Where one has blocks, its parts of rows are those of the
/// plan, and the plan cuts its columns between blocks.
struct matmul_orders {
  matrix_order a{}, b{}, out{};
};

namespace impl {

constexpr std::size_t operand_bytes(amp_precision type) { return type == amp_precision::float_float ? 4 : 2; }
constexpr std::size_t partial_bytes(amp_precision type) { return type == amp_precision::half_half ? 2 : 4; }

}  // namespace impl

constexpr element_type operand_type(amp_precision type) {
  return type == amp_precision::float_float ? element_type::f32 : element_type::f16;
}

namespace impl {

constexpr element_type partial_type(amp_precision type) {
  return type == amp_precision::half_half ? element_type::f16 : element_type::f32;
}

/// Worker bundles to turn a matrix of elements of `size` bytes round within a tile: in squares of sixteen by sixteen, each of four by
/// four halves or two by two floats at once [PL popops, PerformanceEstimation.hpp: Transpose1D]; where a side is no multiple of these, an
/// element at a time [PL poplin, ConvModel.cpp: layout copies].
constexpr std::size_t turn_bundles(const architecture& chip, std::size_t rows, std::size_t columns, std::size_t size) {
  if (rows * columns == 0) return 0;
  const std::size_t one_by_one = divided_up(divided_up(rows * columns * size, algorithms::min(chip.copy_width, size)), chip.workers);
  const std::size_t at_once = size == 2 ? 4 : 2, each = size == 2 ? 4 : 3, grains = panel_columns / at_once;
  if (rows % at_once != 0 || columns % at_once != 0) return one_by_one;
  const std::size_t squares = divided_up(rows, panel_columns) * divided_up(columns, panel_columns);
  return algorithms::min(one_by_one, 29 + divided_up(squares, chip.workers) * (18 + grains * (12 + each * (grains - 2))));
}

/// The cost of the codelet of one tile: of the product or, where that takes less, of the transposed one, whose result is turned.
constexpr vertex_cost block_cost(const architecture& chip, const matmul_shape& s, std::size_t m, std::size_t k,
                                 std::size_t n) {
  vertex_cost cost = matmul_cost(chip, {m, k, n, 1, s.type});
  vertex_cost turned = turned_cost(chip, {m, k, n, 1, s.type});
  turned.bundles += turn_bundles(chip, m, n, partial_bytes(s.type));
  if (alone(turned, chip) < alone(cost, chip)) cost = turned;
  if (s.a_transposed && !s.in_squares) cost.bundles += turn_bundles(chip, k, m, operand_bytes(s.type));
  if (s.b_transposed != s.b_stands) cost.bundles += turn_bundles(chip, k, n, operand_bytes(s.type));
  return cost;
}

inline constexpr std::size_t square_elements = panel_columns * panel_columns;

/// The bytes of a value on the fullest of `tiles` tiles, in whole squares.
constexpr std::size_t squares_of_tile(std::size_t elements, std::size_t tiles, std::size_t size) {
  return divided_up(divided_up(elements, square_elements), algorithms::max<std::size_t>(1, tiles)) * square_elements * size;
}

/// The cycles in which tiles put squares together and turn them round.
constexpr cycles turned_squares(const architecture& chip, std::size_t elements, std::size_t tiles, std::size_t size) {
  const std::size_t held = squares_of_tile(elements, tiles, size);
  const vertex_cost cost{turn_bundles(chip, held / size / panel_columns, panel_columns, size), chip.supervisor_launch.value};
  return copied(chip, held) + chip.sync + alone(cost, chip);
}

}  // namespace impl

/// The plan with its cycles and bytes filled in.
template <class = void>
constexpr matmul_plan estimated(const architecture& chip, const matmul_shape& s, matmul_plan p) {
  const auto largest = [](std::size_t count, std::size_t parts, std::size_t grain) {
    return divided_up(divided_up(count, grain), parts) * grain;
  };
  const std::size_t m = largest(s.m, p.m_parts * p.m_turns, p.m_grain);
  const std::size_t k = largest(s.k, p.k_parts * p.k_turns, p.k_grain);
  const std::size_t n = largest(largest(s.n, p.turns, p.n_grain), p.n_parts, p.n_grain);
  const std::size_t size = impl::operand_bytes(s.type);
  const std::size_t sum = impl::partial_bytes(s.type);
  const cycles once = chip.sync + chip.exchange_latency;
  const std::size_t pairs = p.n_parts % chip.tiles_per_bus == 0 ? chip.tiles_per_bus : 1;
  const std::size_t left = m * k * size / pairs, right = k * n * size;
  const std::size_t brought = p.m_turns > 1 ? left : left + right;
  cycles turn = (once + cycles{divided_up(brought, chip.exchange_width)} + alone(impl::block_cost(chip, s, m, k, n), chip)) * p.k_turns;
  std::size_t held = (m * k + k * n) * size + m * n * sum;
  std::size_t results = m * n;
  if (p.k_parts > 1) {
    results = impl::largest_share(m * n, p.k_parts);
    turn += impl::plan_reduction(chip, impl::partial_type(s.type), m * n, p.k_parts).estimate + chip.sync;
    held = algorithms::max(held, m * n * sum * 2 + results * 4);
  } else {
    turn += chip.sync;
  }
  turn += once + cycles{divided_up(results * size, chip.exchange_width)};
  p.estimate = turn * (p.turns * p.m_turns);
  if (p.m_turns > 1) p.estimate += (once + cycles{divided_up(right, chip.exchange_width)}) * p.turns;
  if (s.in_squares) {
    const std::size_t a = impl::squares_of_tile(s.m * s.k, p.used(), size), b = impl::squares_of_tile(s.k * s.n, p.used(), size);
    p.estimate += impl::turned_squares(chip, s.m * s.k, p.used(), size) + impl::turned_squares(chip, s.k * s.n, p.used(), size);
    held = p.k_turns > 1 ? held + a + b : algorithms::max(held, m * k * size + 2 * b);
  }
  p.temporary = {held};
  return p;
}

/// The best plan whose blocks fit in `memory`; if none does, the one that needs least.
template <class = void>
inline matmul_plan plan_matmul(const architecture& chip, const matmul_shape& s, std::size_t tiles, bytes memory) {
  matmul_plan best;
  best.estimate = {std::numeric_limits<std::uint64_t>::max()};
  matmul_plan smallest;
  smallest.temporary = best.estimate.value == 0 ? bytes{} : bytes{std::numeric_limits<std::uint64_t>::max()};
  // What lies side by side in a matrix is cut between vectors: halves at odd places would have to be rearranged.
  const std::size_t grain = vector_width(operand_type(s.type)), m_grain = s.a_transposed ? grain : 1;
  const auto m_parts = impl::useful_parts(divided_up(s.m, m_grain), tiles);
  const auto k_parts = impl::useful_parts(divided_up(s.k, grain), algorithms::min<std::size_t>(tiles, divided_up(s.k, 16)));
  for (std::size_t turns = 1; turns <= divided_up(s.n, grain); turns *= 2) {
    const auto n_parts = impl::useful_parts(divided_up(divided_up(s.n, grain), turns), tiles);
    for (const std::size_t m : m_parts) {
      for (const std::size_t k : k_parts) {
        if (m * k > tiles) break;
        for (const std::size_t n : n_parts) {
          if (m * k * n > tiles) break;
          const matmul_plan tried = estimated(chip, s, {.m_parts = m,
                                                                .k_parts = k,
                                                                .n_parts = n,
                                                                .turns = turns,
                                                                .tiles = tiles,
                                                                .m_grain = m_grain,
                                                                .k_grain = grain,
                                                                .n_grain = grain});
          if (tried.temporary < smallest.temporary) smallest = tried;
          if (tried.temporary <= memory && tried.estimate < best.estimate) best = tried;
        }
      }
    }
    if (best.used() > 0 && best.tiles > 0) return best;  // more turns only cost more
  }
  return smallest;
}

}  // namespace ipuflow::ipu
