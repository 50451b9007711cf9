// SPDX-License-Identifier: BSL-1.0
// The tiles and the cuts of the products of attention: each pair of a sample and a head has a share of the tiles.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/ipu/ops/matmul_plan.hpp>

#include <cstddef>

namespace ipuflow::nn::impl {

struct attention_sizes {
  std::size_t samples = 1;
  std::size_t heads = 1;
  std::size_t positions = 1;
  std::size_t features = 1;  // of what comes out
  ipu::amp_precision type = ipu::amp_precision::float_float;

  constexpr std::size_t pairs() const { return samples * heads; }
  constexpr std::size_t width() const { return features / heads; }
};

/// The tiles of heads: each pair has a share of them, as many at once as there are, and a tile some of its queries.
struct head_tiles {
  std::size_t share, at_once, parts;  // parts: of the queries

  constexpr head_tiles(std::size_t tiles, const attention_sizes& a)
      : share{algorithms::max<std::size_t>(1, tiles / a.pairs())}, at_once{tiles / share}, parts{algorithms::min(share, a.positions)} {}

  constexpr ipu::dimension_cut queries(const attention_sizes& a) const { return {a.positions, parts}; }
  /// A product of each pair, cut by its queries, which are its rows or what it sums over.
  constexpr ipu::matmul_plan by_queries(const ipu::architecture& chip, const ipu::matmul_shape& s) const {
    ipu::matmul_plan plan{.tiles = share};
    (s.a_transposed ? plan.k_parts : plan.m_parts) = parts;
    return ipu::estimated(chip, s, plan);
  }
};

/// The cut by queries, or one by keys or features too, in whole panels, if that takes fewer cycles: a tile then has only some of the keys or
/// values, but scores go to other tiles, which they otherwise do not leave if `rows_stay`. So does the vendor's planner: a profile of 16 heads of
/// 729 positions shows 2 x 46 tiles for the scores of each, and rows that are put together for softmax. Shares stay if their rows do not
/// fill words, as most would be rearranged on their way.
constexpr ipu::matmul_plan sooner_cut(const ipu::architecture& chip, const ipu::matmul_shape& s, const ipu::matmul_plan& by_queries, bytes memory,
                                      bool rows_stay) {
  ipu::matmul_plan best = by_queries;
  cycles least = best.estimate;
  if (!s.b_transposed && s.k * ipu::size_of(ipu::operand_type(s.type)) % chip.exchange_width != 0) return best;
  if (rows_stay) {
    const std::size_t scores = ipu::divided_up(s.m, by_queries.m_parts) * (s.b_transposed ? s.n : s.k) * ipu::size_of(ipu::operand_type(s.type));
    least = least + cycles{ipu::divided_up(scores, chip.copy_width)} - cycles{ipu::divided_up(scores, chip.exchange_width)};
  }
  const std::size_t size = ipu::size_of(ipu::operand_type(s.type));
  for (std::size_t n = 2; n <= algorithms::min(ipu::divided_up(s.n, ipu::panel_columns), by_queries.tiles); ++n) {
    const std::size_t most = algorithms::min(s.m, by_queries.tiles / n), share = n % chip.tiles_per_bus == 0 ? chip.tiles_per_bus : 1;
    for (std::size_t m = 1; m <= most;) {
      const std::size_t rows = ipu::divided_up(s.m, m);
      if (rows * s.k * size < least.value * chip.exchange_width * share) {  // else what it is brought takes as long
        const ipu::matmul_plan tried =
            ipu::estimated(chip, s, {.m_parts = m, .n_parts = n, .tiles = by_queries.tiles, .n_grain = ipu::panel_columns});
        if (tried.temporary <= memory && tried.estimate < least) best = tried, least = tried.estimate;
      }
      m = rows == 1 ? most + 1 : ipu::divided_up(s.m, rows - 1);  // the next cut with fewer rows on a tile: others take as long
    }
  }
  return best;
}

}  // namespace ipuflow::nn::impl
