// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/lowerings/head_windows.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace head_windows_test {

using namespace ipuflow;
using namespace ipuflow::nn::impl;

TEST_CASE("a copy of a stand-in is one of the window: every element, in runs of panels") {
  ipu::graph g(ipu::mk2);
  constexpr std::size_t rows = 12, columns = 96, height = 6, width = 32;  // the window: rows 5 to 10, columns from `first` on
  const ipu::variable_id matrix = g.add_variable<float>("matrix", rows * columns, ipu::linear(rows * columns, 40));
  const ipu::variable_id head = g.add_variable<float>("head", height * width, ipu::on_tile(height * width, 0));
  const ipu::variable_id block = g.add_variable<float>("block", height * width, ipu::on_tile(height * width, 1));
  using parts_and_first = std::pair<std::size_t, std::size_t>;
  for (const auto& [parts, first] : {parts_and_first{1, 32}, {2, 32}, {3, 32}, {2, 40}}) {  // a panel begins at 32
    const stand_in view{head, matrix, 5 * columns + first, columns, width,
                        ipu::in_panels(height, width, parts), ipu::in_panels(rows, columns, 2)};
    ipu::step whole = ipu::copy({{.from = {head}, .to = {block}, .length = height * width}});
    look_through(whole, std::span{&view, 1});
    const ipu::copy& made = whole.as<ipu::copy>();
    std::vector<std::size_t> from(height * width, 0);
    for (const ipu::copy_piece& p : made.pieces) {
      CHECK(p.from.variable.index == matrix.index);
      CHECK(p.to.variable.index == block.index);
      for (std::size_t i = 0; i < p.length; ++i) from[p.to.begin + i] = p.from.begin + i;
    }
    for (std::size_t i = 0; i < from.size(); ++i)
      CHECK(from[view.order.place(i)] == view.inside_order.place((5 + i / width) * columns + first + i % width));
    if (first == 32) CHECK(made.pieces.size() <= 2 * (parts + 1));  // the matrix's first part ends at 6
  }
}

TEST_CASE("rows of a window keep their distance") {
  ipu::graph g(ipu::mk2);
  const ipu::variable_id matrix = g.add_variable<float>("matrix", 200, ipu::linear(200, 40));
  const ipu::variable_id head = g.add_variable<float>("head", 12, ipu::on_tile(12, 0));
  const stand_in view{head, matrix, 43, 20, 3, {}, {}};
  ipu::step whole = ipu::copy({{.from = {matrix, 0, 1}, .to = {head, 0, 3}, .length = 3, .count = 4}});
  look_through(whole, std::span{&view, 1});
  const ipu::copy_piece& p = whole.as<ipu::copy>().pieces[0];
  CHECK(p.to.variable.index == matrix.index);
  CHECK(p.to.begin == 43);
  CHECK(p.to.step == 20);
}

}  // namespace head_windows_test
