// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/ops/turned_squares.hpp>

#include "run_once.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace turned_squares_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

namespace {

/// The value's numbers, counted from one, after its squares are turned round.
std::vector<float> turned(mapping map, std::size_t elements) {
  architecture chip = mk2;
  chip.tiles = 8;
  graph g(chip);
  const variable_id value = g.add_variable<float>("value", elements, std::move(map));
  const arranged made = with_turned_squares(g, value);
  const variable_id out = g.add_variable<float>("out", elements, on_tile(elements, 0));
  const step program = sequence(made.bring, deliver({{.length = elements}}, made.variable, out));
  engine e(pod(chip, 1), g, program, {.checked = true});
  std::vector<float> numbers(elements);
  for (std::size_t i = 0; i < elements; ++i) numbers[i] = static_cast<float>(i + 1);
  e.write(value, numbers);
  e.run();
  return e.read<float>(out);
}

}  // namespace

TEST_CASE("each square is turned round in its place, wherever tiles begin and end") {
  for (const std::size_t squares : {1u, 2u, 5u, 24u}) {
    for (const std::size_t grain : {16u, 48u, 256u, 272u}) {
      const std::size_t elements = squares * 256;
      const std::vector<float> made = turned(linear(elements, 8, 0, grain), elements);
      for (std::size_t i = 0; i < elements; ++i) {
        const std::size_t square = i / 256 * 256, row = i % 256 / 16, column = i % 16;
        REQUIRE(made[i] == static_cast<float>(square + column * 16 + row + 1));
      }
    }
  }
}

TEST_CASE("tiles that hold whole squares send nothing: they turn what they have") {
  architecture chip = mk2;
  chip.tiles = 8;
  graph g(chip);
  const variable_id value = g.add_variable<half>("value", 24 * 256, linear(24 * 256, 8, 0, 256));
  const arranged made = with_turned_squares(g, value);
  CHECK(g[made.variable].map() == g[value].map());
  const profile counted = cost(pod(chip, 1), g, made.bring);
  CHECK(counted.average(phase::exchange) == 0.0);
  CHECK(counted.average(phase::compute) > 0.0);
}

}  // namespace turned_squares_test
