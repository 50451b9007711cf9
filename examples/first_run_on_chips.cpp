// SPDX-License-Identifier: BSL-1.0
// The smallest timetable on chips: two stages, each laid out on the tiles of a chip. Prints a result and the cycles.
// begin: whole
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/schedule/generators/inference.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

using namespace ipuflow;

/// Both stages: y = x * x, of a hundred numbers on ten tiles.
plan::lowered squares(ipu::graph& graph, std::size_t /*stage*/, const plan::lowering_options& options) {
  const auto on_ten = ipu::linear(100, 10, options.where.first_tile);
  const auto x = graph.add_variable<float>("x", 100, on_ten);
  const auto y = graph.add_variable<float>("y", 100, on_ten);
  plan::lowered made;
  made.entry = {x};
  made.exit = {y};
  made.forward = ipu::apply(graph, ipu::unary::square, x, y);
  return made;
}

int main() {
  const auto timetable = schedule::inference({.ipus = 2, .micro_batches = 8, .run_for = mode::inference});
  const run::chips_program program = run::on_chips(timetable, ipu::pod(ipu::mk2, 2), squares);

  ipu::engine chips = program.engine();
  for (int m = 0; m < 8; ++m) chips.feed<float>(program.inputs()[0].stream, std::vector<float>(100, 1.5f));
  const run::chips_profile ran = program.run(chips);
  std::printf("1.5 to the fourth is %g; %llu cycles for eight micro-batches\n",
              static_cast<double>(chips.drain<float>(program.outputs()[0].stream)[0]),
              static_cast<unsigned long long>(ran.chips.total.value));
}
// end: whole
