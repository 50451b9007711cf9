// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/row_totals.hpp>
#include <ipuflow/ipu/ops/row_work.hpp>

#include "row_maps.hpp"
#include "run_once.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace row_totals_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("Totals are those of whole rows, whatever the mapping") {
  constexpr std::size_t elements = 1920;
  for (const row_order order : {row_order{48, 40}, row_order{1, 48}, row_order{960, 2}, row_order{12, 4}, row_order{1920, 1}}) {
    for (const mapping& map : row_maps::all(elements, 48, 60)) {
      operation_test<float> t;
      const variable_id x = t.g.add_variable<float>("x", elements, map), to = t.variable(order.rows), most = t.variable(order.rows);
      const row_work work(t.g, map, element_type::f32, order);
      step program;
      const row_numbers sums = work.reduce(program, row_reduction::sum, x, 0.5f), largest = work.reduce(program, row_reduction::max, x);
      copy deliver;
      work.deliver(deliver, sums, 0, to);
      work.deliver(deliver, largest, 0, most);
      program.then(std::move(deliver));
      const std::vector<float> values = t.numbers(elements);
      std::vector<float> wanted(order.rows, 0), wanted_most(order.rows, -100);
      for (std::size_t e = 0; e < elements; ++e) {
        wanted[order.row_of(e)] += values[e] / 2;
        wanted_most[order.row_of(e)] = std::max(wanted_most[order.row_of(e)], values[e]);
      }
      t.run(program, {{x, values}}, [&](engine& e) {
        CHECK(e.read<float>(to) == wanted);
        CHECK(e.read<float>(most) == wanted_most);
      });
    }
  }
}

TEST_CASE("Rows of one mapping, type and order are found once for a graph") {
  graph g(mk2);
  const mapping map = linear(640, 64);
  const row_order order{10, 64};
  const row_totals first(g, map, element_type::f32, order);
  CHECK(row_totals(g, linear(640, 64), element_type::f32, order).shared_tiles() == first.shared_tiles());
  CHECK(row_totals(g, map, element_type::f16, order).shared_tiles() != first.shared_tiles());
  CHECK(row_totals(g, linear(640, 32), element_type::f32, order).shared_tiles() != first.shared_tiles());
  CHECK(row_totals(g, map, element_type::f32, {20, 32}).shared_tiles() != first.shared_tiles());
  CHECK(row_totals(g, map, element_type::f32, {10, 64, {{64}, {10}}}).shared_tiles() != first.shared_tiles());
}

TEST_CASE("Rows that are whole on their tiles need no exchange; a row of many tiles is put together in two stages") {
  operation_test<float> t;
  const row_totals whole(t.g, linear(640, 64, 0, 10), element_type::f32, {10, 64}), long_row(t.g, linear(640, 64), element_type::f32, {640, 1});
  CHECK(whole.holders() == 1);
  CHECK(whole.round(2) == cycles{});
  CHECK(long_row.holders() == 64);
  CHECK(long_row.round(1) > cycles{});
  ipu::architecture chip = mk2;
  graph all(chip);
  const auto vertices = [&](std::size_t tiles) {
    const mapping map = linear(tiles * 8, tiles);
    const variable_id x = all.add_temporary<float>("x", tiles * 8, map);
    step program;
    static_cast<void>(row_work(all, map, element_type::f32, {tiles * 8, 1}).reduce(program, row_reduction::sum, x));
    return cost(pod(chip, 1), all, program).chips.front().vertices - tiles;
  };
  CHECK(vertices(8) == 1);
  CHECK(vertices(1472) > 8);
}

TEST_CASE("A tile is sent what it has of a row, and gets back what it holds parts of") {
  // 64 columns in blocks of 16 on 4 tiles, 8 rows of blocks: each tile sends 16 sums and gets 16 numbers, no other.
  operation_test<float> t;
  const mapping map = grid(64, 64, 8, 4);
  const variable_id x = t.g.add_variable<float>("x", 64 * 64, map);
  const row_work work(t.g, map, element_type::f32, {1, 64});
  CHECK(t.g[work.room("numbers").variable].elements() == 32 * 16);
  step program;
  const row_numbers sums = work.reduce(program, row_reduction::sum, x);
  CHECK(sums.once);
  const row_numbers back = work.to_tiles(program, sums);
  CHECK(t.g[back.variable].elements() == 32 * 16);
  const auto moved = cost(pod(small_chip(), 1), t.g, program).chips.front().moved.exchanged;
  CHECK(moved <= 2 * 32 * 16 * 4);
  CHECK(moved >= 2 * 28 * 16 * 4);
}

}  // namespace row_totals_test
