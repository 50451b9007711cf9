// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/gather.hpp>

#include "run_once.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gather_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE_TEMPLATE("rows by index, and rows added by index, indices met more than once", Element, float, half) {
  for (const gather_shape& s : {gather_shape{50, 48, 20}, {3000, 12, 30}, {7, 3, 100}, {5000, 64, 5}}) {
    operation_test<Element> t;
    const bool in_place = s.rows != 50;
    const variable_id table = in_place ? t.g.template add_variable<Element>("table", s.rows * s.width, table_mapping(t.g, s))
                                       : t.variable(s.rows * s.width);
    const variable_id out = t.variable(s.indices * s.width);
    const variable_id index = t.g.template add_variable<std::int32_t>("index", s.indices, linear(s.indices, 64));
    const auto values = t.numbers(s.rows * s.width);
    std::vector<std::int32_t> wanted(s.indices);
    for (std::size_t i = 0; i < s.indices; ++i) wanted[i] = static_cast<std::int32_t>(t.random() % s.rows);
    wanted[1] = wanted[0];
    const step program = sequence(gather(t.g, s, table, index, out), scatter_add(t.g, s, table, index, out, -2.0f));
    const auto is_copy = [](const variable& v) { return v.name().view() == "table" && !v.always_live(); };
    const bool has_copy = std::any_of(t.g.variables().begin(), t.g.variables().end(), is_copy);
    CHECK(has_copy == !in_place);
    const chip_system all = pod(small_chip(), 1);
    engine runs(all, t.g, program, {.checked = true});
    runs.write(table, t.to_elements(values));
    runs.write(index, wanted);
    CHECK(runs.run() == cost(all, t.g, program));
    std::vector<float> rows;
    for (const std::int32_t i : wanted) {
      for (std::size_t c = 0; c < s.width; ++c) rows.push_back(values[c * s.rows + static_cast<std::size_t>(i)]);
    }
    CHECK(t.to_floats(runs.read<Element>(out)) == rows);
    std::vector<float> added = values;
    for (std::size_t i = 0; i < rows.size(); ++i)
      added[i % s.width * s.rows + static_cast<std::size_t>(wanted[i / s.width])] -= 2 * rows[i];
    CHECK(t.to_floats(runs.read<Element>(table)) == added);
  }
}

/// Numbers on the tile that has most.
std::size_t largest(const mapping& of) {
  std::vector<std::size_t> on_tile(mk2.tiles);
  for (const mapped_interval& i : of) on_tile[i.tile] += i.end - i.begin;
  return *std::max_element(on_tile.begin(), on_tile.end());
}

TEST_CASE("a table is cut so that its fullest tile holds least, and no more than it must be") {
  for (const std::size_t tiles : {1u, 5u, 64u, 1472u}) {
    const graph g(mk2);
    const plan_options on{.tiles = tiles};
    for (const gather_shape& s : {gather_shape{30'522, 1024, 384}, {30'522, 768, 128}, {65, 128, 1024}, {300, 8, 4}, {2, 1024, 384}, {1, 1, 1}, {3000, 12, 30}}) {
      const table_plan p = plan_table(g, s, on);
      INFO(tiles, ": ", s.rows, " x ", s.width, " as ", p.row_parts, " x ", p.column_parts);
      const std::size_t most = held_by_tile(s, tiles, p.row_parts, p.column_parts);
      for (std::size_t rows = 1; rows <= std::min(s.rows, tiles); ++rows) {
        for (std::size_t columns = 1; columns <= std::min(divided_up(s.width, 2), tiles / rows); ++columns) {
          const std::size_t held = held_by_tile(s, tiles, rows, columns);
          if (held < most || (held == most && rows < p.row_parts)) FAIL(rows, " x ", columns, ": ", held, " < ", most);
        }
      }
      const std::size_t wide = std::min(s.width, 2 * divided_up(divided_up(s.width, 2), p.column_parts));
      CHECK(largest(table_mapping(g, s, on)) == divided_up(s.rows, p.row_parts) * wide);
    }
  }
  const graph g(mk2);
  const gather_shape words{.rows = 30'522, .width = 1024, .indices = 1536};
  CHECK(largest(table_mapping(g, words)) == 24'420);  // a pair of whole columns would be 61,044
}

}  // namespace gather_test
