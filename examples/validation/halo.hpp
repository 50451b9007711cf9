// SPDX-License-Identifier: BSL-1.0
// Row H7: a halo exchange with explicit copies, in two waves, as its authors wrote it (thorbenlouw/lbm-graphcore,
// main/HaloRegionApproaches.cpp, `explicitOneTensor2Wave`). Blocks hold their halo, two columns of tiles stand side by side, and
// a wave of rows goes before a wave of columns, whose words land a row apart.
#pragma once

#include <ipuflow/ipu/engine/costing.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace validation {

/// Averages of tiles in the profile of 20 supersteps with blocks of 100 x 100 floats, by the vendor's model of mk1. Tiles that
/// wait for others count as synchronising.
struct published_halo {
  double total = 147'570;
  double compute = 129'556.1;
  double exchange = 9'262.3;
  double sync = 8'751.6;
};

/// `iterations` there and back, with blocks of `edge` x `edge` and a vertex of 100 bundles on each tile.
inline ipuflow::ipu::profile two_wave_halo_run(const ipuflow::ipu::architecture& chip, std::size_t edge, std::size_t iterations) {
  using namespace ipuflow;
  using namespace ipuflow::ipu;
  graph g(chip);
  const std::size_t side = edge + 2, cells = side * side, rows = chip.tiles / 2;
  const auto blocks = linear(cells * chip.tiles, chip.tiles);
  const variable_id in = g.add_variable<float>("in", cells * chip.tiles, blocks);
  const variable_id out = g.add_variable<float>("out", cells * chip.tiles, blocks);
  const std::size_t body = g.add_codelet(codelet(
      name_from("stencil"), 200_B, [](std::span<const float>, inout<float>) {},
      [](const architecture&, lengths) { return vertex_cost{.bundles = 100}; }));
  const auto superstep = [&](variable_id u, variable_id v) {
    std::vector<copy_piece> north_south, east_west;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        const auto cell = [&](std::size_t row, std::size_t column, std::size_t y, std::size_t x) {
          return (2 * row + column) * cells + y * side + x;
        };
        if (i > 0) north_south.push_back({{u, cell(i - 1, j, edge, 1)}, {u, cell(i, j, 0, 1)}, edge + 1});
        if (i + 1 < rows) north_south.push_back({{u, cell(i + 1, j, 1, 1)}, {u, cell(i, j, edge + 1, 1)}, edge + 1});
        east_west.push_back({.from = {u, cell(i, 1 - j, 0, j == 0 ? 1 : edge), side},
                             .to = {u, cell(i, j, 0, j == 0 ? edge + 1 : 0), side}, .length = 1, .count = side});
      }
    }
    const compute_set_id set = g.add_compute_set("stencil");
    g.add_vertices(set, {body, 0, chip.tiles, 1, {part(u, 0, cells, cells), part(v, 0, cells, cells)}});
    return sequence(copy(std::move(north_south)), copy(std::move(east_west)), execute(set));
  };
  return cost(pod(chip, 1), g, repeat(iterations, sequence(superstep(in, out), superstep(out, in))));
}

}  // namespace validation
