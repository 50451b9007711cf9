// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/lowerings/row_lowering.hpp>

#include <numeric>

namespace row_lowering_test {

using namespace nn_test;

namespace {

/// Adds to every number its row, and what is everywhere.
ipu::codelet label_rows(std::size_t width) {
  return {ipu::name_from("label"), bytes{32},
          [width](std::size_t first_row, std::span<const float> x, std::span<const float> more,
                         ipu::inout<float> changed, std::span<float> y) {
            for (std::size_t i = 0; i < x.size(); ++i) {
              const std::size_t row = first_row + i / width;
              y[i] = x[i] + static_cast<float>(100 * row) + more[0] + more[1];
              if (i % width == 0) changed[i / width] += static_cast<float>(row);
            }
          },
          [](const ipu::architecture& chip, ipu::lengths n) {
            return nn::row_cost(chip, ipu::element_type::f32, n[0], 1);
          }};
}

}  // namespace

TEST_CASE("Rows are shared out over all tiles, each to one, in order") {
  for (const std::size_t rows : {1u, 3u, 38u, 39u, 200u}) {
    const nn::impl::row_share share{rows, std::min<std::size_t>(rows, 38)};
    std::size_t before = 0;
    const ipu::mapping map = ipu::linear(rows, share.tiles, 2);
    for (std::size_t v = 0; v < share.tiles; ++v) {
      CHECK(share.first(v) == before);
      CHECK(map[v].begin == before);
      before = map[v].end;
    }
    CHECK(before == rows);
  }
}

TEST_CASE("A row of [outer, row, inner] meets its codelet whole, and what it writes goes back to its places") {
  constexpr std::size_t outer = 3, inner = 4;
  for (const std::size_t rows : {1u, 5u, 60u}) {
    tile_bench t;
    const auto variable = [&](std::size_t n) { return t.variable(ipu::element_type::f32, n); };
    const std::size_t elements = outer * rows * inner;
    const ipu::variable_id x = variable(elements), y = variable(elements), more = variable(2), changed = variable(rows);
    const ipu::step program = nn::on_rows(
        t.l, "label", rows, label_rows(outer * inner),
        {nn::read_rows(x, outer), nn::everywhere(more), nn::change_rows(changed), nn::write_rows(y, outer)});
    std::vector<float> values(elements);
    std::iota(values.begin(), values.end(), 0.0f);
    std::vector<float> wanted = values;
    for (std::size_t i = 0; i < elements; ++i) wanted[i] += static_cast<float>(100 * (i / inner % rows)) + 7;
    run_on_tiles(t, program, {{x, values}, {more, {3, 4}}, {changed, std::vector<float>(rows, 1)}},
                 [&](ipu::engine& e) {
                   CHECK(read(e, t.g, y) == wanted);
                   for (std::size_t r = 0; r < rows; ++r) CHECK(read(e, t.g, changed)[r] == static_cast<float>(1 + r));
                 });
  }
}

}  // namespace row_lowering_test
