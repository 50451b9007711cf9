// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/conv_shares.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <vector>

namespace conv_shares_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("every weight is in one pair of channels, and sums over all of the batch and rows") {
  for (const std::size_t groups : {1u, 2u, 4u}) {
    const conv_shape s{.batch = 3, .in_channels = 8, .rows = 7, .columns = 5, .out_channels = 12, .kernel_rows = 3,
                       .kernel_columns = 2, .groups = groups};
    for (const weight_gradient_plan& p : {weight_gradient_plan{}, weight_gradient_plan{3, 2, 1, 1}, weight_gradient_plan{5, 1, 2, 3}}) {
      const weight_shares made = share_weights(s, p, 10);
      std::vector<std::size_t> covered(s.out_channels * (s.in_channels / groups) * s.taps());
      for (const copy_piece& piece : made.outwards) {
        for (std::size_t i = 0; i < piece.count; ++i) {
          for (std::size_t e = 0; e < piece.length; ++e) ++covered[piece.to.begin + i * piece.to.step + e];
        }
      }
      CHECK(std::set<std::size_t>(covered.begin(), covered.end()) == std::set<std::size_t>{1});
      CHECK(made.elements == covered.size());
      std::size_t summed = 0;
      for (const auto& vertex : made.work) summed += vertex.field.samples * vertex.field.out_rows * vertex.field.out_channels;
      CHECK(summed == s.batch * s.out_rows() * s.out_channels * p.in_parts);
      REQUIRE(made.work.size() == p.out_parts * p.in_parts * p.partials());
      std::set<std::size_t> tiles;
      for (const auto& vertex : made.work) tiles.insert(vertex.tile);
      CHECK(tiles.size() == made.work.size());
      CHECK(*tiles.begin() == 10);
      CHECK(*tiles.rbegin() == 9 + made.work.size());
    }
  }
}

}  // namespace conv_shares_test
