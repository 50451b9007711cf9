// SPDX-License-Identifier: BSL-1.0
// The smallest program for a chip: the squares of ten thousand numbers, on all of its tiles. Prints one of them and the cycles.
// begin: whole
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/ipu/ops/elementwise.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

using namespace ipuflow;

int main() {
  std::vector<float> numbers(10'000);
  std::iota(numbers.begin(), numbers.end(), 0.0f);

  ipu::graph graph{ipu::mk2};                                         // what is on a chip
  const auto evenly = ipu::linear(numbers.size(), graph.tiles());     // the same number of elements on each tile
  const auto x = graph.add_variable<float>("x", numbers.size(), evenly);
  const auto y = graph.add_variable<float>("y", numbers.size(), evenly);
  const ipu::step program = ipu::apply(graph, ipu::unary::square, x, y);

  ipu::engine engine{ipu::pod(ipu::mk2, 1), graph, program};
  engine.write(x, numbers);
  const ipu::profile ran = engine.run();
  std::printf("99 x 99 = %g, in %llu cycles\n", static_cast<double>(engine.read<float>(y)[99]),
              static_cast<unsigned long long>(ran.total.value));
}
// end: whole
