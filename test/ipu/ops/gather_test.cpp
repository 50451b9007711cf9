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

/// A matrix, given row after row, in the order.
std::vector<float> in_order(const matrix_order& order, const std::vector<float>& rows) {
  std::vector<float> made(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) made[order.place(i)] = rows[i];
  return made;
}

TEST_CASE_TEMPLATE("rows by index, and rows added by index, indices met more than once", Element, float, half) {
  for (gather_shape s :
       {gather_shape{50, 48, 20}, {3000, 12, 30}, {7, 3, 100}, {5000, 64, 5}, {40, 200, 3}, {3, 1, 4}}) {
    for (const bool by_columns : {false, true}) {
      s.by_columns = by_columns;
      operation_test<Element> t;
      const bool in_place = s.rows != 50;
      const std::size_t numbers = s.rows * s.width;
      const variable_id table =
          in_place ? t.g.template add_variable<Element>("table", numbers, table_mapping(t.g, s)) : t.variable(numbers);
      const variable_id out = t.variable(s.indices * s.width);
      const variable_id index = t.g.template add_variable<std::int32_t>("index", s.indices, linear(s.indices, 64));
      const auto values = t.numbers(numbers);
      std::vector<std::int32_t> wanted(s.indices);
      for (std::size_t i = 0; i < s.indices; ++i) wanted[i] = static_cast<std::int32_t>(t.random() % s.rows);
      wanted[1] = wanted[0];
      const step program = sequence(gather(t.g, s, table, index, out), scatter_add(t.g, s, table, index, out, -2.0f));
      const auto is_copy = [](const variable& v) { return v.name().view() == "table" && !v.always_live(); };
      const bool has_copy = std::any_of(t.g.variables().begin(), t.g.variables().end(), is_copy);
      CHECK(has_copy == !in_place);
      const chip_system all = pod(small_chip(), 1);
      engine runs(all, t.g, program, {.checked = true});
      const matrix_order order = table_order(t.g, s);
      runs.write(table, t.to_elements(in_order(order, values)));
      runs.write(index, wanted);
      CHECK(runs.run() == cost(all, t.g, program));
      std::vector<float> rows;
      for (const std::int32_t i : wanted) {
        for (std::size_t c = 0; c < s.width; ++c) rows.push_back(values[static_cast<std::size_t>(i) * s.width + c]);
      }
      CHECK(t.to_floats(runs.read<Element>(out)) == rows);
      std::vector<float> added = values;
      for (std::size_t i = 0; i < rows.size(); ++i)
        added[static_cast<std::size_t>(wanted[i / s.width]) * s.width + i % s.width] -= 2 * rows[i];
      CHECK(t.to_floats(runs.read<Element>(table)) == in_order(order, added));
    }
  }
}

TEST_CASE("halves of a row that is added up of parts travel as whole words: they come about as soon as floats") {
  const chip_system one = pod(mk2, 1);
  for (const gather_shape& s : {gather_shape{30522, 1024, 10}, {5000, 334, 7}, {20000, 100, 33}}) {
    const auto taken = [&](element_type type) {
      graph g{mk2};
      const variable_id table = g.add_variable(name_from("table"), type, s.rows * s.width, table_mapping(g, s));
      const variable_id index = g.add_variable<std::int32_t>("index", s.indices, linear(s.indices, 4));
      const std::size_t all = s.indices * s.width;
      const variable_id out = g.add_variable(name_from("out"), type, all, linear(all, mk2.tiles, 0, vector_width(type)));
      CHECK(plan_table(g, s, {}).rows.parts > 1);
      return static_cast<double>(cost(one, g, gather(g, s, table, index, out)).total.value);
    };
    CHECK(taken(element_type::f16) < 1.1 * taken(element_type::f32));
  }
}

TEST_CASE("a tile has one block of a table, one interval, and no other cut has less on its fullest tile") {
  operation_test<float> t;
  const std::size_t tiles = tiles_for(t.g, {});
  for (gather_shape s :
       {gather_shape{300, 8, 4}, {30522, 1024, 100}, {1000, 6, 1}, {2, 3, 8}, {512, 1024, 4}, {9, 500, 2000}}) {
    for (const bool by_columns : {false, true}) {
      s.by_columns = by_columns;
      const table_plan plan = plan_table(t.g, s, {});
      const mapping map = table_mapping(t.g, s);
      CHECK(map.size() == plan.tiles());
      CHECK(plan.tiles() <= tiles);
      CHECK(!verify(map, s.rows * s.width, tiles));
      std::vector<std::size_t> met(plan.tiles());
      for (const mapped_interval& i : map) ++met[i.tile];
      CHECK(std::all_of(met.begin(), met.end(), [](std::size_t n) { return n == 1; }));
      for (std::size_t parts = 1; parts <= std::min(tiles, s.rows); ++parts) {
        table_plan other = plan;
        other.rows.parts = parts;
        other.columns.parts = std::min(tiles / parts, other.columns.grains());
        const bool is_interval = !by_columns || parts == 1 || other.columns.parts == s.width;
        if (is_interval) CHECK(plan.held_by_tile(s.indices) <= other.held_by_tile(s.indices));
      }
    }
  }
}

}  // namespace gather_test
