// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/generators/catalogue_points.hpp>
#include <ipuflow/schedule/generators/catalogue_tables.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace catalogue_tables_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

TEST_CASE("tables are right, have the stages where they are wanted, and are those that stand beside a frontier") {
  const costs c{5, 4, 3, 1};
  const dynamic_array<activation_bytes> bytes(1, activation_bytes{1, 0, -1});
  for (const grid& where : {grid{4, 4, 8, layout::loop}, grid{4, 8, 8, layout::loop}, grid{4, 8, 8, layout::vee}, grid{1, 1, 3, layout::loop}}) {
    const auto known = catalogue_tables(where, c);
    std::size_t alike = 0;
    for (const catalogue_point& point : catalogue_points(where, c, bytes, search_metric::makespan)) alike += point.placed_alike ? 1 : 0;
    CHECK(known.size() >= alike);
    CHECK(known.size() >= 3);
    for (const table& t : known) {
      CHECK(!verify(t));
      for (std::size_t stage = 0; stage < where.stages; ++stage) CHECK(t.where.ipu_of(t.where.first_seat(stage), 0) == where.ipu_of(stage, 0));
    }
  }
  CHECK(catalogue_tables(grid{3, 4, 8, layout::loop}, c).empty());  // stages that IPUs cannot share
  CHECK(catalogue_tables(grid{1024, 1024, 1'000'000, layout::loop}, c).empty());  // tables of billions of passes
  CHECK(catalogue_tables(grid{4, 4, nowhere, layout::loop}, c).empty());
  CHECK(catalogue_tables(grid{4, 0, 8, layout::loop}, c).empty());
}

}  // namespace catalogue_tables_test
