// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/weight_gradient_plan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>

namespace weight_gradient_plan_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("weights: no more tiles than there are, what fits, and more tiles are not slower") {
  const conv_shape s{16, 32, 28, 28, 64, 3, 3, 1, 1, 1, amp_precision::half_half};
  cycles before{std::numeric_limits<std::uint64_t>::max()};
  for (const std::size_t tiles : {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{1472}}) {
    const weight_gradient_plan p = plan_weight_gradient(mk2, s, tiles, 383'000_B);
    CHECK(p.pairs() * p.partials() <= tiles);
    if (tiles > 7) CHECK(p.temporary <= 383'000_B);
    CHECK(p.estimate <= before);
    before = p.estimate;
  }
  const weight_gradient_plan tight = plan_weight_gradient(mk2, s, 1472, 1_B);
  CHECK(tight.temporary <= plan_weight_gradient(mk2, s, 1472, 383'000_B).temporary);
  const conv_shape grouped{16, 32, 14, 14, 32, 3, 3, 1, 1, 32, amp_precision::half_half};
  CHECK(plan_weight_gradient(mk2, grouped, 1472, 383'000_B).in_parts == 1);
}

TEST_CASE("every partial sum has a tile of its own; neighbours have one of the images in common where channels are cut evenly") {
  for (const weight_gradient_plan& p : {weight_gradient_plan{3, 4, 2, 3}, weight_gradient_plan{4, 3, 2, 3}, weight_gradient_plan{3, 5, 1, 2}}) {
    std::set<std::size_t> tiles;
    for (std::size_t partial = 0; partial < p.partials(); ++partial) {
      for (std::size_t pair = 0; pair < p.pairs(); ++pair) {
        tiles.insert(p.tile_of(partial, pair));
        if (p.tile_of(partial, pair) % 2 != 0) continue;
        for (std::size_t other = 0; other < p.pairs(); ++other) {
          if (p.tile_of(partial, other) != p.tile_of(partial, pair) + 1) continue;
          if (p.in_parts % 2 == 0) CHECK(other / p.in_parts == pair / p.in_parts);
          else if (p.out_parts % 2 == 0) CHECK(other % p.in_parts == pair % p.in_parts);
        }
      }
    }
    CHECK(tiles.size() == p.pairs() * p.partials());
    CHECK(*tiles.rbegin() + 1 == tiles.size());
  }
}

TEST_CASE("groups are products of their own, and sums that are halves take half the array's time") {
  const conv_shape s{4, 64, 14, 14, 64, 3, 3, 1, 1, 1, amp_precision::half_half};
  conv_shape floats = s;
  floats.type = amp_precision::half_float;
  const auto time = [](const conv_shape& of) { return alone(weight_gradient_cost(mk2, of, of.in_channels / of.groups, 4 * 14, 64), mk2).value; };
  CHECK(time(floats) > time(s) + 4 * 14 * 14 * 64 * 64 * 9 / 64 / 2);  // the array's part of it doubles
  conv_shape grouped = s;
  grouped.groups = 64;
  CHECK(time(grouped) >= 64 * 9 * 4 * 14 * 14 * 3 / 8);  // eight groups three bundles, of each worker
  CHECK(time(grouped) < time(s) * 4);
}

}  // namespace weight_gradient_plan_test
