// SPDX-License-Identifier: BSL-1.0
// The law: what is found in few steps is the plan that the planner takes, which tries all of them.
#include <ipuflow/ipu/bounds/matmul_bound.hpp>

#include <doctest/doctest.h>

#include <cstddef>
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
    const matmul_plan planned = plan_matmul(chip, s, tiles, memory), found = matmul_taken(chip, s, tiles, memory);
    INFO(s.m, " ", s.k, " ", s.n, " type ", static_cast<int>(s.type), " ", s.a_transposed, s.b_transposed, " tiles ", tiles, " memory ", memory.value);
    CHECK(found.temporary == planned.temporary);
    CHECK(found.estimate == planned.estimate);
    CHECK(found.m_parts == planned.m_parts);
    CHECK(found.k_parts == planned.k_parts);
    CHECK(found.n_parts == planned.n_parts);
    CHECK(found.turns == planned.turns);
    fitted += planned.temporary <= memory ? 1u : 0u, in_turns += planned.turns > 1 ? 1u : 0u, summed += planned.k_parts > 1 ? 1u : 0u;
  }
  CHECK(fitted > 600);
  CHECK(in_turns > 20);
  CHECK(summed > 100);
}

TEST_CASE("the products of a language model's head take few steps of a compiler") {
  static_assert(matmul_taken(mk2, {512, 256, 8000, amp_precision::half_float, false, true}, mk2.tiles, {380'000}).turns == 1);
  static_assert(matmul_taken(mk2, {512, 8000, 256, amp_precision::half_float}, mk2.tiles, {380'000}).turns == 1);
  static_assert(matmul_taken(mk2, {8000, 512, 256, amp_precision::half_float, true, false}, mk2.tiles, {380'000}).turns == 1);
}

}  // namespace matmul_bound_test
