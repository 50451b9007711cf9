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
    const variable_id table = in_place ? t.g.template add_variable<Element>("table", s.rows * s.width, table_mapping(t.g, s, element_type_of<Element>()))
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

TEST_CASE("a table has as many parts as there are tiles where no memory is left for it, not none") {
  operation_test<float> t;
  const gather_shape s{300, 8, 4};
  const table_plan most = plan_table(t.g, s, element_type::f32, {.memory_proportion = 0});
  CHECK(most.column_parts == 8);
  CHECK(most.row_parts == tiles_for(t.g, {}) / 8);
}

}  // namespace gather_test
