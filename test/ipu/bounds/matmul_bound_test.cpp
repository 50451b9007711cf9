// SPDX-License-Identifier: BSL-1.0
// The law: what is found in few steps is the plan that the planner takes, which tries all of them.
#include <ipuflow/ipu/bounds/matmul_bound.hpp>
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/ops/matmul.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>

namespace matmul_bound_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("the plan is the one that the planner takes") {
  std::mt19937 random(58);
  const auto below = [&](std::size_t end) { return random() % end; };
  const auto size = [&] { return 1 + below(below(4) == 0 ? 2000 : below(2) == 0 ? 260 : 20); };
  std::size_t fitted = 0, in_turns = 0, summed = 0;
  for (std::size_t round = 0; round < 900; ++round) {
    matmul_shape s{size(), size(), size(), static_cast<amp_precision>(below(3))};
    s.a_transposed = below(2) == 0, s.b_transposed = below(2) == 0;
    architecture chip = below(2) == 0 ? mk1 : bow;
    if (below(4) == 0) chip.tiles_per_bus = below(2) == 0 ? 1 : 4;
    const std::size_t tiles = 1 + below(below(3) == 0 ? 1500 : below(2) == 0 ? 200 : 20);
    const bytes memory{below(3) == 0 ? below(4000) : below(400'000)};
    const matmul_plan planned = plan_matmul(chip, s, tiles, memory), found = ipu::impl::matmul_taken(chip, s, tiles, memory);
    INFO(s.m, " ", s.k, " ", s.n, " ", s.a_transposed, s.b_transposed, " tiles ", tiles, " memory ", memory.value);
    CHECK(found.temporary == planned.temporary);
    CHECK(found.estimate == planned.estimate);
    CHECK(found.m_parts == planned.m_parts);
    CHECK(found.k_parts == planned.k_parts);
    CHECK(found.n_parts == planned.n_parts);
    CHECK(found.turns == planned.turns);
    fitted += planned.temporary <= memory ? 1u : 0u;
    in_turns += planned.turns > 1 ? 1u : 0u, summed += planned.k_parts > 1 ? 1u : 0u;
  }
  CHECK(fitted > 600);
  CHECK(in_turns > 20);
  CHECK(summed > 100);
}

TEST_CASE("the products of a language model's head take few steps of a compiler") {
  constexpr auto type = amp_precision::half_float;
  constexpr bytes memory{380'000};
  static_assert(ipu::impl::matmul_taken(mk2, {512, 256, 8000, type, false, true}, mk2.tiles, memory).turns == 1);
  static_assert(ipu::impl::matmul_taken(mk2, {512, 8000, 256, type}, mk2.tiles, memory).turns == 1);
  static_assert(ipu::impl::matmul_taken(mk2, {8000, 512, 256, type, true, false}, mk2.tiles, memory).turns == 1);
}

variable_id spread(graph& g, element_type type, std::size_t elements) {
  const std::size_t tiles = std::clamp<std::size_t>(elements * size_of(type) / 128, 1, mk2.tiles);
  return g.add_variable(name_from("matrix"), type, elements, linear(elements, tiles, 0, vector_width(type)));
}

TEST_CASE("the pieces cap the code of the exchanges") {
  constexpr auto halves = amp_precision::half_float, floats = amp_precision::float_float;
  for (const std::size_t rows : {7u, 512u})
    for (const matmul_shape& s : {matmul_shape{rows, 250, 1000, halves, false, true}, {rows, 1000, 250, halves},
                                  {1000, rows, 250, halves, true}, {rows, 300, 33, floats}}) {
      for (const bytes memory : {bytes{380'000}, bytes{13'000}}) {
        graph g(mk2);
        const element_type type = operand_type(s.type);
        const variable_id a = spread(g, type, s.m * s.k), b = spread(g, type, s.k * s.n), out = spread(g, type, s.m * s.n);
        const profile seen = cost(pod(mk2, 1), g, matmul(g, s, plan_matmul(mk2, s, mk2.tiles, memory), a, b, out));
        std::uint64_t most = 0;
        for (const tile_memory& t : seen.memory.tiles) most = std::max<std::uint64_t>(most, t[memory_category::exchange_code]);
        const operation_bound bound = matmul_bound(mk2, s, mk2.tiles, memory);
        CHECK(most <= 6 * (bound.pieces + bound.sums) + 80);
        CHECK(6 * (bound.pieces + bound.sums) < 8 * most);
      }
    }
}

}  // namespace matmul_bound_test
