// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/matmul_plan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace matmul_plan_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("a plan fits its tiles and memory, and is the best of all that do") {
  for (const matmul_shape& s : {matmul_shape{64, 64, 64},
                                {100, 30, 7, amp_precision::float_float},
                                {1, 512, 40, amp_precision::half_float},
                                {40, 400, 256}}) {
    const std::size_t tiles = 48;
    const bytes memory{20'000};
    const matmul_plan p = plan_matmul(mk2, s, tiles, memory);
    CHECK(p.used() <= tiles);
    CHECK(p.temporary <= memory);
    for (std::size_t m = 1; m <= std::min<std::size_t>(s.m, tiles); ++m) {
      for (std::size_t k = 1; m * k <= tiles && k <= (s.k + 15) / 16; ++k) {
        for (std::size_t n = 1; m * k * n <= tiles && n <= s.n; ++n) {
          const matmul_plan tried = estimated(mk2, s, {m, k, n, 1, tiles, {}, {}});
          if (tried.temporary <= memory && p.turns == 1)
            CHECK(p.estimate.value <= tried.estimate.value + 200);  // pairs differ within a size
        }
      }
    }
  }
}

TEST_CASE("less memory: more turns; none at all: the smallest there is") {
  const matmul_shape s{256, 512, 512};
  const matmul_plan roomy = plan_matmul(mk2, s, 16, 600'000_B);
  const matmul_plan tight = plan_matmul(mk2, s, 16, 60'000_B);
  CHECK(roomy.turns == 1);
  CHECK(tight.turns > 1);
  CHECK(tight.temporary <= 60'000_B);
  CHECK(tight.estimate >= roomy.estimate);
  const matmul_plan none = plan_matmul(mk2, s, 16, 10_B);
  CHECK(none.used() >= 1);
  CHECK(none.temporary > 10_B);
}

TEST_CASE("turning an operand round costs") {
  CHECK(block_cost(mk2, {64, 64, 64}, 64, 64, 64) == matmul_cost(mk2, {64, 64, 64}));
  CHECK(block_cost(mk2, {64, 64, 64, amp_precision::half_half, true}, 64, 64, 64).bundles >
        matmul_cost(mk2, {64, 64, 64}).bundles);
}

TEST_CASE("halves are turned round four by four, several times faster than one by one, whichever side is longer") {
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{256, 144}, {1024, 64}, {64, 64}}) {
    const std::size_t one_by_one = divided_up(rows * columns, mk2.workers);
    CHECK(2 * turn_bundles(mk2, rows, columns, 2) < one_by_one);
    CHECK(5 * turn_bundles(mk2, rows, columns, 2) > one_by_one);
    CHECK(turn_bundles(mk2, rows, columns, 2) == turn_bundles(mk2, columns, rows, 2));
    CHECK(turn_bundles(mk2, rows - 1, columns, 2) == divided_up((rows - 1) * columns, mk2.workers));
    CHECK(turn_bundles(mk2, rows, columns, 4) <= one_by_one);
  }
  CHECK(turn_bundles(mk2, 4, 4, 2) == 3);  // one by one: the codelet takes longer to begin
  CHECK(turn_bundles(mk2, 0, 64, 2) == 0);
}

TEST_CASE("a product with few rows takes about what its transpose with few columns takes, on a tile and on all") {
  for (const std::size_t few : {1u, 4u, 12u}) {
    const auto cycles_of = [](std::size_t m, std::size_t k, std::size_t n) {
      return alone(ipu::impl::block_cost(mk2, {m, k, n}, m, k, n), mk2).value;
    };
    const std::uint64_t wide = cycles_of(few, 256, 512), high = cycles_of(512, 256, few);
    CHECK(wide >= high);                          // its result is turned, an element a cycle
    CHECK(wide <= high + few * 512 + 6);
    CHECK(wide < alone(matmul_cost(mk2, {few, 256, 512}), mk2).value);
  }
}

}  // namespace matmul_plan_test
