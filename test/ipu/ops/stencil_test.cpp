// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/stencil.hpp>

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/engine/engine.hpp>

#include "said.hpp"
#include "tiny.hpp"

#include <doctest/doctest.h>

#include <cstddef>

namespace stencil_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("frames are filled with the neighbours' edges") {
  const chip_system all = pod(tiny_chip(), 1);
  const stencil_grid s{11, 9, 4, 2};
  graph g(tiny_chip());
  const std::size_t elements = s.offsets().back();
  const variable_id u = g.add_variable<float>("u", elements, s.map());
  const step program = exchange_frames(s, u);
  engine runs(all, g, program);
  const auto cell = [](std::size_t r, std::size_t c) { return static_cast<float>(100 * r + c); };
  ipuflow::light_vector<float> values(elements, -1);
  const auto at = s.offsets();
  const auto place = [&](std::size_t i, std::size_t j, std::size_t r, std::size_t c) {
    return at[i * 2 + j] + r * (s.width(j) + 2) + c;
  };
  const auto each_block = [&](auto&& visit) {
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 2; ++j) visit(i, j);
    }
  };
  each_block([&](std::size_t i, std::size_t j) {
    for (std::size_t r = 0; r < s.height(i); ++r) {
      for (std::size_t c = 0; c < s.width(j); ++c)
        values[place(i, j, r + 1, c + 1)] = cell(s.row_begin(i) + r, s.column_begin(j) + c);
    }
  });
  runs.write(u, values);
  runs.run();
  const ipuflow::light_vector<float> out = runs.read<float>(u);
  each_block([&](std::size_t i, std::size_t j) {
    for (std::size_t r = 0; r < s.height(i) + 2; ++r) {
      for (std::size_t c = 0; c < s.width(j) + 2; ++c) {
        const bool corner = (r == 0 || r == s.height(i) + 1) && (c == 0 || c == s.width(j) + 1);
        const std::size_t row = s.row_begin(i) + r;
        const std::size_t column = s.column_begin(j) + c;
        const bool outside = row == 0 || row == 12 || column == 0 || column == 10;
        CHECK(out[place(i, j, r, c)] == (corner || outside ? -1 : cell(row - 1, column - 1)));
      }
    }
  });
}

TEST_CASE("the squarest grid uses all tiles and has the shortest edges") {
  const stencil_grid s = squarest(8000, 8000, 1472);
  CHECK(s.grid_rows * s.grid_columns == 1472);
  CHECK(s.grid_rows * s.grid_columns == s.tiles());
  CHECK((s.grid_rows == 32 || s.grid_rows == 46));
  CHECK(squarest(10, 1000, 10).grid_columns == 10);
}

TEST_CASE("a five-point stencil takes ten bundles a cell, a seven-point one twelve") {
  const auto by_cell = [](std::size_t points) {
    return static_cast<double>(alone(stencil_cost(mk2, 600'000, 600, points), mk2).value) / 600'000;
  };
  CHECK(by_cell(5) == doctest::Approx(10).epsilon(0.01));
  CHECK(by_cell(7) == doctest::Approx(12).epsilon(0.01));
  CHECK(stencil_cost(mk2, 100, 10, 5).flops == 600);
}

TEST_CASE("a stencil on tiles is the stencil in a plain loop, and blocks come back as cells") {
  const chip_system all = pod(tiny_chip(), 1);
  const stencil_grid s{13, 11, 4, 2};
  graph g(tiny_chip());
  const variable_id u = g.add_variable<float>("u", s.offsets().back(), s.map());
  const variable_id next = g.add_variable<float>("next", s.offsets().back(), s.map());
  const five_points by{0.5f, 0.125f};
  const step program = repeat(3, sequence(five_point_step(g, s, by, u, next), five_point_step(g, s, by, next, u)));
  ipuflow::light_vector<float> cells(13 * 11);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<float>((i * 7) % 13);
  CHECK(from_blocks(s, to_blocks(s, cells, 0)) == cells);
  engine runs(all, g, program, {.allow_out_of_memory = true, .checked = true});
  runs.write(u, to_blocks(s, cells, 0));
  runs.write(next, to_blocks(s, cells, 0));
  CHECK(runs.run() == cost(all, g, program, {.allow_out_of_memory = true}));
  for (int turn = 0; turn < 6; ++turn) {
    ipuflow::light_vector<float> made(cells.size());
    const auto at = [&](std::size_t r, std::size_t c) { return r < 13 && c < 11 ? cells[r * 11 + c] : 0; };
    for (std::size_t r = 0; r < 13; ++r) {
      for (std::size_t c = 0; c < 11; ++c)
        made[r * 11 + c] = 0.5f * at(r, c) + 0.125f * (at(r - 1, c) + at(r + 1, c) + at(r, c - 1) + at(r, c + 1));
    }
    cells = made;
  }
  const ipuflow::light_vector<float> got = from_blocks(s, runs.read<float>(u));
  for (std::size_t i = 0; i < cells.size(); ++i) CHECK(got[i] == doctest::Approx(cells[i]).epsilon(1e-5));
}

TEST_CASE("cells or blocks that are not of a grid are told") {
  const stencil_grid s = squarest(4, 4, 4);
  const ipuflow::light_vector<float> few(3);
  CHECK(said_by([&] { (void)to_blocks(s, few, 0); }) == "ipuflow: ipu::to_blocks is given 'cells' of 3 elements, but by its shape that has 16; give both alike");
  CHECK(said_by([&] { (void)from_blocks(s, few); }) == "ipuflow: ipu::from_blocks is given 'blocks' of 3 elements, but by its shape that has 64; give both alike");
}

}  // namespace stencil_test
