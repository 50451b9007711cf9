// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/table_plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

namespace table_plan_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("of all cuts in blocks the one whose fullest tile holds least is taken") {
  for (const gather_shape& s : {gather_shape{30'522, 1024, 1536}, {96, 192, 128}, {2, 1024, 1536}, {50'257, 768, 64}, {5, 7, 3}}) {
    const table_plan taken = plan_table(s, 1472);
    for (std::size_t parts = 1; parts <= std::min<std::size_t>(s.rows, 1472); ++parts) {
      const table_plan other{{s.rows, parts}, {s.width, std::min(1472 / parts, divided_up(s.width, 2)), 2}, 0, false};
      CHECK(taken.held_by_tile(s.indices) <= other.held_by_tile(s.indices));
    }
    CHECK(taken.tiles() <= 1472);
    CHECK(taken.columns.grain == 2);
  }
}

TEST_CASE("a table by columns is cut in whole columns, or in parts of one") {
  const table_plan wide = plan_table({50'257, 768, 64, true}, 1472), narrow = plan_table({50'257, 64, 64, true}, 1472);
  CHECK(wide.rows.parts == 1);
  CHECK(wide.columns.parts == 768);
  CHECK(narrow.rows.parts > 1);
  CHECK(narrow.columns.parts == 64);
  static_assert(plan_table({10, 4, 2}, 8, 5).first_tile == 5);
}

}  // namespace table_plan_test
