// SPDX-License-Identifier: BSL-1.0
// The heat equation in two dimensions on the tiles of an IPU: run on chips and compared with a loop on this
// machine, then only counted, at the size and on the chip of a published measurement. Both come from the same few
// lines.
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/ipu/ops/stencil.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

using namespace ipuflow;

constexpr ipu::five_points heat{.centre = 0.6f, .side = 0.1f};

// begin: program
/// An even number of steps on all tiles of a chip, back and forth between two variables.
struct heat_program {
  ipu::stencil_grid grid;
  ipu::graph graph;
  ipu::variable_id cells, next;
  ipu::step program;

  heat_program(const ipu::architecture& chip, std::size_t rows, std::size_t columns, std::size_t steps)
      : grid{ipu::squarest(rows, columns, chip.tiles)},
        graph{chip},
        cells{graph.add_variable<float>("cells", grid.offsets().back(), grid.map())},
        next{graph.add_variable<float>("next", grid.offsets().back(), grid.map())},
        program{ipu::repeat(steps / 2, ipu::sequence(ipu::five_point_step(graph, grid, heat, cells, next),
                                                     ipu::five_point_step(graph, grid, heat, next, cells)))} {}
};
// end: program

/// The same on this machine, in the plainest way; outside it is cold.
std::vector<float> on_host(std::size_t rows, std::size_t columns, std::size_t steps, std::vector<float> cells) {
  std::vector<float> next = cells;
  for (std::size_t step = 0; step < steps; ++step, std::swap(cells, next)) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        const std::size_t i = r * columns + c;
        const float up = r > 0 ? cells[i - columns] : 0;
        const float down = r + 1 < rows ? cells[i + columns] : 0;
        const float left = c > 0 ? cells[i - 1] : 0;
        const float right = c + 1 < columns ? cells[i + 1] : 0;
        next[i] = heat.centre * cells[i] + heat.side * (up + down + left + right);
      }
    }
  }
  return cells;
}

int main() {
  // begin: run
  constexpr std::size_t rows = 300, columns = 200, steps = 40;
  heat_program small(ipu::mk2, rows, columns, steps);
  ipu::engine engine(ipu::pod(ipu::mk2, 1), small.graph, small.program);
  std::vector<float> cells(rows * columns, 0.0f);
  cells[rows / 2 * columns + columns / 2] = 1000.0f;  // a hot spot
  engine.write(small.cells, ipu::to_blocks(small.grid, cells, 0.0f));
  engine.write(small.next, ipu::to_blocks(small.grid, cells, 0.0f));
  const ipu::profile ran = engine.run();
  const std::vector<float> got = ipu::from_blocks(small.grid, engine.read<float>(small.cells));
  // end: run
  const std::vector<float> wanted = on_host(rows, columns, steps, cells);
  float worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - wanted[i]));
  std::printf("%zu x %zu cells on %zu tiles, %zu steps: %s the host loop; %llu cycles, %.0f %% exchange\n", rows,
              columns, small.grid.tiles(), steps, worst < 1e-4f ? "equal to" : "DIFFERENT from",
              static_cast<unsigned long long>(ran.total.value),
              100 * ran.average(ipu::phase::exchange) / static_cast<double>(ran.total.value));

  // begin: predict
  const heat_program large(ipu::mk2, 8000, 8000, 1000);
  const ipu::profile predicted = ipu::cost(ipu::pod(ipu::mk2, 1), large.graph, large.program);
  std::printf(
      "8000 x 8000, 1000 steps: %.3f s, %.2f TFLOPS, %.1f %% of a tile's memory\n", predicted.time().value,
      predicted.flops() * 1e-12,
      100.0 * static_cast<double>(predicted.memory.tiles[0].total()) / static_cast<double>(ipu::mk2.tile_memory.value));
  // end: predict
  return worst < 1e-4f ? 0 : 1;
}
