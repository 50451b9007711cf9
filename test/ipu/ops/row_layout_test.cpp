// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/row_layout.hpp>
#include <ipuflow/ipu/ops/softmax.hpp>

#include "run_once.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace row_layout_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

namespace {

constexpr std::size_t tiles = 1472;

std::uint64_t counted(std::size_t rows, std::size_t width, const mapping* at) {
  graph g(mk2);
  const mapping spread = linear(rows * width, tiles, 0, 4);
  const variable_id x = g.add_variable<half>("x", rows * width, spread), y = g.add_variable<half>("y", rows * width, spread);
  const row_order order{width, rows};
  const step program = at == nullptr ? softmax(g, rows, x, y) : ipu::impl::softmax_at(g, {{g, *at, element_type::f16, order}, *at}, x, y);
  return cost(pod(mk2, 1), g, program).total.value;
}

}  // namespace

TEST_CASE("The layout that is chosen is the sooner one, or nearly so") {
  bool stands = false, moves = false;
  for (const auto& [rows, width] : {std::pair<std::size_t, std::size_t>{16384, 128}, {2048, 128}, {128, 128}, {8, 32000}, {1024, 1024}, {48, 14000}, {1500, 64}}) {
    CAPTURE(rows);
    const mapping spread = linear(rows * width, tiles, 0, 4), whole_rows = linear(rows * width, std::min(rows, tiles), 0, width);
    const std::uint64_t standing = counted(rows, width, &spread), whole = counted(rows, width, &whole_rows), chosen = counted(rows, width, nullptr);
    CHECK((chosen == standing || chosen == whole));
    CHECK(static_cast<double>(chosen) <= 1.1 * static_cast<double>(std::min(standing, whole)));
    (chosen == standing ? stands : moves) = true;
  }
  CHECK(stands);
  CHECK(moves);
}

TEST_CASE("A few long rows use all tiles: twice the tiles take about half the time") {
  const auto time = [](std::size_t used) {
    graph g(mk2);
    const mapping map = linear(8 * 256000, used, 0, 4);
    const variable_id x = g.add_variable<half>("x", 8 * 256000, map), y = g.add_variable<half>("y", 8 * 256000, map);
    const chip_profile chip = cost(pod(mk2, 1), g, softmax(g, 8, x, y, {.tiles = used}), {.allow_out_of_memory = true}).chips.front();
    return static_cast<double>(chip[phase::compute].value);
  };
  CHECK(time(160) / time(320) > 1.6);
}

TEST_CASE("Rows that are not in one piece stay where they are, and a value in the right mapping is used itself") {
  operation_test<float> t;
  const mapping map = linear(600, 60);
  const variable_id x = t.g.add_variable<float>("x", 600, map);
  const row_place at = place_row_work(t.g, x, {10, 6}, {.passes = 1, .reductions = 1, .rounds = 1}, {});
  CHECK(at.map == map);
  CHECK(room_in(t.g, "room", x, map).index == x.index);
  CHECK(room_in(t.g, "room", x, linear(600, 6)).index != x.index);
  CHECK(bring_to(t.g, x, map).bring.empty());
  CHECK_FALSE(bring_to(t.g, x, linear(600, 6)).bring.empty());
}

}  // namespace row_layout_test
