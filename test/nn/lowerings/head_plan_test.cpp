// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/lowerings/head_plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

namespace head_plan_test {

using namespace ipuflow;

TEST_CASE("pairs share the tiles, as many at once as there are, and take turns where there are more") {
  const nn::impl::attention_sizes few{2, 12, 128, 768}, many{200, 12, 128, 768}, short_ones{1, 2, 5, 8};
  const nn::impl::head_tiles of_few(1472, few), of_many(1472, many), of_short(1472, short_ones);
  CHECK(of_few.share == 61);
  CHECK(of_few.at_once == 24);
  CHECK(of_few.queries(few).most() == 3);  // 128 queries on 61 tiles
  CHECK(of_many.share == 1);
  CHECK(of_many.at_once == 1472);          // of 2,400 pairs
  CHECK(of_short.parts == 5);              // no tile has less than a query
}

TEST_CASE("a head is cut by queries alone or by keys, too, whichever takes fewer cycles") {
  const ipu::matmul_shape scores{128, 64, 128, ipu::amp_precision::half_half, false, true};
  const auto by_queries = [&](std::size_t tiles) {
    return ipu::estimated(ipu::mk2, scores, {.m_parts = std::min(tiles, scores.m), .tiles = tiles});
  };
  const bytes memory = ipu::mk2.tile_memory;
  const ipu::matmul_plan cut = nn::impl::sooner_cut(ipu::mk2, scores, by_queries(92), memory, true);  // BERT-large, a sequence at a time
  CHECK(cut.n_parts > 1);
  CHECK(cut.used() <= 92);
  CHECK(cut.n_grain == ipu::panel_columns);
  CHECK(cut.estimate.value < by_queries(92).estimate.value / 2);
  CHECK(nn::impl::sooner_cut(ipu::mk2, scores, by_queries(1), memory, true).n_parts == 1);
  CHECK(nn::impl::sooner_cut(ipu::mk2, scores, by_queries(92), 0_B, true).m_parts == 92);
  const ipu::matmul_shape of_vision{729, 72, 729, ipu::amp_precision::half_half, false, true}, its_values{729, 729, 72, ipu::amp_precision::half_half};
  const auto of_92 = [&](const ipu::matmul_shape& s) {
    return nn::impl::sooner_cut(ipu::mk2, s, ipu::estimated(ipu::mk2, s, {.m_parts = 92, .tiles = 92}), memory, true);
  };
  CHECK(of_92(of_vision).m_parts == 2);  // as a profile of the vendor's has it
  CHECK(of_92(of_vision).n_parts == 46);
  CHECK(of_92(its_values).n_parts == 1);
  CHECK(of_92({736, 736, 72, ipu::amp_precision::half_half}).n_parts > 1);
  // Where there is little to save it counts that scores do not move, and a plan says what it takes, not what it was compared with.
  const ipu::matmul_shape small{72, 8, 72, ipu::amp_precision::half_half, false, true};
  const ipu::matmul_plan few = ipu::estimated(ipu::mk2, small, {.m_parts = 4, .tiles = 4});
  CHECK(nn::impl::sooner_cut(ipu::mk2, small, few, memory, true).n_parts == 1);
  CHECK(nn::impl::sooner_cut(ipu::mk2, small, few, memory, true).estimate == few.estimate);
  CHECK(nn::impl::sooner_cut(ipu::mk2, small, few, memory, false).n_parts == 2);
}

/// All cuts, one by one.
ipu::matmul_plan soonest(const ipu::matmul_shape& s, std::size_t tiles, bytes memory, ipu::matmul_plan best) {
  for (std::size_t n = 2; n <= std::min(ipu::divided_up(s.n, ipu::panel_columns), tiles); ++n)
    for (std::size_t m = 1; m <= std::min(s.m, tiles / n); ++m) {
      const ipu::matmul_plan tried = ipu::estimated(ipu::mk2, s, {.m_parts = m, .n_parts = n, .tiles = tiles, .n_grain = ipu::panel_columns});
      if (tried.temporary <= memory && tried.estimate < best.estimate) best = tried;
    }
  return best;
}

TEST_CASE("cuts that are passed over are none that would be taken") {
  std::size_t cut_by_keys = 0;
  for (const std::size_t queries : {1u, 17u, 96u, 128u, 200u, 729u})
    for (const std::size_t keys : {16u, 40u, 128u, 736u})
      for (const std::size_t tiles : {1u, 4u, 23u, 92u, 368u})
        for (const bytes memory : {20'000_B, 500'000_B}) {
          const ipu::matmul_shape s{queries, 64, keys, ipu::amp_precision::half_float, false, true};
          const ipu::matmul_plan plain = ipu::estimated(ipu::mk2, s, {.m_parts = std::min(tiles, queries), .tiles = tiles});
          const ipu::matmul_plan wanted = soonest(s, tiles, memory, plain), made = nn::impl::sooner_cut(ipu::mk2, s, plain, memory, false);
          CHECK(made.m_parts == wanted.m_parts);
          CHECK(made.n_parts == wanted.n_parts);
          cut_by_keys += made.n_parts > 1 ? 1u : 0u;
        }
  CHECK(cut_by_keys > 50);
}

}  // namespace head_plan_test
