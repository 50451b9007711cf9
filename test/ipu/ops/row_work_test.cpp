// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/row_work.hpp>

#include "row_maps.hpp"
#include "run_once.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace row_work_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE_TEMPLATE("A pass takes the number of its row to each element, in place or not, whatever the mapping", Element, float, half) {
  constexpr std::size_t elements = 720;
  for (const row_order order : {row_order{24, 30}, row_order{1, 24}, row_order{6, 5}}) {
    for (const mapping& map : row_maps::all(elements, 24, 60)) {
      operation_test<Element> t;
      const variable_id x = t.g.template add_variable<Element>("x", elements, map), y = t.g.template add_variable<Element>("y", elements, map);
      const variable_id pairs = t.g.template add_variable<Element>("pairs", 2 * order.rows, linear(2 * order.rows, 10));
      const row_work work(t.g, map, element_type_of<Element>(), order);
      step program;
      work.pass(program, binary::sub, x, {pairs, 2, true}, 1, y);
      const row_numbers there = work.to_tiles(program, {pairs, 2, true});
      CHECK_FALSE(there.once);
      program.then(work.pass(binary::mul, y, there, 0, y));
      const auto values = t.numbers(elements), numbers = t.numbers(2 * order.rows);
      std::vector<float> wanted;
      for (std::size_t e = 0; e < elements; ++e) wanted.push_back((values[e] - numbers[2 * order.row_of(e) + 1]) * numbers[2 * order.row_of(e)]);
      CHECK(t.result(program, {{x, values}, {pairs, numbers}}, y) == wanted);
    }
  }
}

TEST_CASE("Numbers come in the order of rows, and products add up") {
  constexpr std::size_t elements = 720;
  const row_order order{24, 30};
  for (const mapping& map : row_maps::all(elements, 24, 60)) {
    operation_test<float> t;
    const variable_id a = t.g.add_variable<float>("a", elements, map), b = t.g.add_variable<float>("b", elements, map), to = t.variable(order.rows);
    const row_work work(t.g, map, element_type::f32, order);
    step program;
    const row_numbers sums = work.in_order(program, work.reduce_products(program, a, b, 2), "sums");
    CHECK(sums.once);
    program.then(copy_all(t.g, sums.variable, to));
    const auto x = t.numbers(elements), y = t.numbers(elements);
    std::vector<float> wanted(order.rows, 0);
    for (std::size_t e = 0; e < elements; ++e) wanted[order.row_of(e)] += 2 * x[e] * y[e];
    CHECK(t.result(program, {{a, x}, {b, y}}, to) == wanted);
  }
}

TEST_CASE("By hand: a row on two tiles") {
  // Each tile adds 24 numbers up: a worker does so in 20 bundles, 2 x (8 + 4) and 12 + 1, sooner than six, who would have 24 lanes to add.
  // The second's sum goes to the first, where one is copied within the tile, and a sum of two is made, which takes 20 and 2 x 2 + 8. It
  // comes back, and a pass takes 15, 7 and 2 vectors of each worker.
  operation_test<float> t;
  const variable_id x = t.g.add_variable<float>("x", 48, linear(48, 2));
  const row_work work(t.g, linear(48, 2), element_type::f32, {48, 1});
  step program;
  work.pass(program, binary::sub, x, work.reduce(program, row_reduction::sum, x), 0, x);
  const profile seen = cost(pod(small_chip(), 1), t.g, program);
  const chip_profile& chip = seen.chips.front();
  constexpr std::uint64_t local = 288 + 6, sum = 33 + 6 * (20 + 24 + 13), total = 33 + 6 * (20 + 12), pass = 11 + 6 * (15 + 7 + 2 * 2);
  CHECK(chip[phase::compute].value == sum + local + total + local + pass);
  CHECK(chip[phase::exchange].value == 2 * (75 + 1));
  CHECK(chip.vertices == 2 + 1 + 2);
}

}  // namespace row_work_test
