// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/cost/matmul_cost.hpp>

#include <doctest/doctest.h>

namespace matmul_cost_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("[n, 16] x [16, 16] in half on a tile takes the published cycles") {
  const struct {
    std::size_t n;
    double measured;
    double tolerance;
  } rows[] = {{16, 402, 0.05}, {64, 584, 0.02}, {256, 1352, 0.02}, {1024, 4424, 0.02}};
  for (const auto& row : rows) {
    const auto predicted = static_cast<double>(alone(matmul_cost(bow, {row.n, 16, 16}), bow).value);
    CHECK(predicted == doctest::Approx(row.measured).epsilon(row.tolerance));
  }
}

TEST_CASE("no multiply-add is free, more work is never cheaper, and large ones come near the peak") {
  for (const architecture* chip : {&mk1, &mk2, &bow}) {
    for (const amp_precision type : {amp_precision::half_half, amp_precision::half_float, amp_precision::float_float}) {
      cycles before;
      for (std::size_t n = 16; n <= 4096; n *= 2) {
        const vertex_cost cost = matmul_cost(*chip, {n, 64, 32, 1, type});
        const std::size_t ideal = n * 64 * 32 / macs_per_cycle(*chip, type);
        CHECK(alone(cost, *chip).value >= ideal);
        CHECK(alone(cost, *chip) >= before);
        before = alone(cost, *chip);
        if (n == 4096) CHECK(static_cast<double>(before.value) < 1.15 * static_cast<double>(ideal));
        CHECK(cost.flops == 2 * n * 64 * 32);
      }
    }
  }
}

TEST_CASE("one position more takes a worker at most the cycles in which the array streams it") {
  for (const amp_precision type : {amp_precision::half_half, amp_precision::float_float}) {
    const amp_array& array = array_of(mk1, type);  // the wider array of mk2 has codelets of its own
    for (std::size_t n = 1; n < 8; ++n) {
      const std::size_t here = pass_bundles(array, type, n, false), next = pass_bundles(array, type, n + 1, false);
      CHECK(next <= here + array.core);
      CHECK(here <= next + 1);  // three at once are set up as fast as one
    }
  }
}

TEST_CASE("turned round, operands change places: few positions and many outputs are what it is for") {
  CHECK(turned_cost(mk2, {64, 32, 8}) == matmul_cost(mk2, {8, 32, 64}));
  CHECK(2 * alone(turned_cost(mk2, {6, 64, 256}), mk2) < alone(matmul_cost(mk2, {6, 64, 256}), mk2));
  CHECK(alone(turned_cost(mk2, {256, 64, 16}), mk2) > alone(matmul_cost(mk2, {256, 64, 16}), mk2));
}

}  // namespace matmul_cost_test
