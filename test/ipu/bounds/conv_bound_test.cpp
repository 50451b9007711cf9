// SPDX-License-Identifier: BSL-1.0
// The law: whatever plan the planner takes takes no more than the bound, and nearly always just that.
#include <ipuflow/ipu/bounds/conv_bound.hpp>

#include "random_convolutions.hpp"

#include <doctest/doctest.h>

#include <cstddef>

namespace conv_bound_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

/// True if the bound is just what is taken.
bool check(const architecture& chip, const conv_shape& s, bytes memory) {
  const std::size_t rows = s.turned_round ? s.rows : s.out_rows(), channels = s.out_channels / s.groups;
  const ipu::impl::conv_plan p = plan_convolution(chip, s, s.batch, rows, channels, chip.tiles, memory);
  const operation_bound b = convolution_bound(chip, s, s.batch, rows, channels, chip.tiles, memory);
  INFO(random_convolutions::text({chip, s, memory}));
  CHECK(p.temporary.value <= b.temporary);
  CHECK(p.pieces <= b.pieces);
  CHECK(b.sums >= (p.summed_parts == 1 ? 0 : p.summed_parts));
  return p.temporary.value == b.temporary && p.pieces == b.pieces;
}

TEST_CASE("a convolution and the gradient of its input take no more than their bound") {
  random_convolutions::source random(1);
  std::size_t same = 0;
  constexpr std::size_t count = 1500;
  for (std::size_t n = 0; n < count; ++n) {
    const auto [chip, s, memory] = random.next();
    same += (check(chip, s, memory) ? 1u : 0u) + (check(chip, s.turned(), memory) ? 1u : 0u);
  }
  CHECK(same > 2 * count * 98 / 100);
}

TEST_CASE("small ones, whose plans are as fast as many others") {
  constexpr auto floats = amp_precision::float_float;
  const bytes memory{383'385};
  architecture few = mk2;
  few.tiles = 16;
  CHECK(check(few, {3, 4, 14, 14, 6, 3, 3, 4, 1, 2, floats}, memory));
  CHECK(check(mk2, conv_shape{4, 8, 3, 3, 3, 3, 3, 1, 0, 1, floats}.turned(), memory));
  CHECK(check(mk2, {2, 512, 10, 5, 2048, 1, 1, 2, 0, 16, floats}, memory));
  CHECK(check(mk2, conv_shape{64, 4, 17, 4, 16, 1, 1, 1, 0, 1, floats}.turned(), {4'000}));
}

TEST_CASE("where no plan fits, that which needs least is bounded") {
  const conv_shape s{
      .batch = 256, .in_channels = 64, .rows = 16, .columns = 16, .out_channels = 64, .kernel_rows = 3, .kernel_columns = 3};
  CHECK(convolution_bound(mk2, s, s.batch, s.out_rows(), 64, mk2.tiles, {1'000}).temporary > 1'000);
  check(mk2, s, {1'000});
}

constexpr conv_shape first{.batch = 64,
                           .in_channels = 1,
                           .rows = 28,
                           .columns = 28,
                           .out_channels = 10,
                           .kernel_rows = 5,
                           .kernel_columns = 5,
                           .type = amp_precision::half_float};
static_assert(convolution_bound(mk2, first, 64, 24, 10, mk2.tiles, {383'385}).temporary < 8'000);  // a constant expression

}  // namespace conv_bound_test
