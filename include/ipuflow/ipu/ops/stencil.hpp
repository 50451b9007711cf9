// SPDX-License-Identifier: BSL-1.0
// A two-dimensional grid on tiles: each tile holds a block with a frame one cell wide, and before every step the frames
// are filled from the neighbours' edges. What a stencil costs is counted from the loop that a compiler makes of it.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/operation_fault.hpp>
#include <ipuflow/ipu/program/graph.hpp>

#include <cstddef>
#include <span>

namespace ipuflow::ipu {

/// `rows` x `columns` cells over a grid of tiles, block (i, j) on tile first + i * grid_columns + j.
struct stencil_grid {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t grid_rows = 1;
  std::size_t grid_columns = 1;
  std::size_t first_tile = 0;

  constexpr std::size_t tiles() const { return grid_rows * grid_columns; }
  constexpr std::size_t row_begin(std::size_t i) const { return i * rows / grid_rows; }
  constexpr std::size_t column_begin(std::size_t j) const { return j * columns / grid_columns; }
  constexpr std::size_t height(std::size_t i) const { return row_begin(i + 1) - row_begin(i); }
  constexpr std::size_t width(std::size_t j) const { return column_begin(j + 1) - column_begin(j); }

  /// Elements of a block with its frame.
  constexpr std::size_t framed(std::size_t i, std::size_t j) const { return (height(i) + 2) * (width(j) + 2); }

  /// The beginning of each block, and after the last the end of all.
  template <class = void>
  constexpr dynamic_array<std::size_t> offsets() const {
    dynamic_array<std::size_t> made(1);
    for (std::size_t i = 0; i < grid_rows; ++i) {
      for (std::size_t j = 0; j < grid_columns; ++j) made.push_back(made.back() + framed(i, j));
    }
    return made;
  }

  /// The mapping of a variable of framed blocks.
  template <class = void>
  constexpr mapping map() const {
    mapping made;
    const dynamic_array<std::size_t> at = offsets();
    for (std::size_t t = 0; t < tiles(); ++t) made.push_back({at[t], at[t + 1], first_tile + t});
    return made;
  }
};

/// The grid of `tiles` tiles whose blocks have the shortest edges.
constexpr stencil_grid squarest(std::size_t rows, std::size_t columns, std::size_t tiles) {
  stencil_grid best{rows, columns, 1, tiles};
  std::size_t shortest = static_cast<std::size_t>(-1);
  for (std::size_t i = 1; i <= tiles; ++i) {
    if (tiles % i != 0) continue;
    const std::size_t edge = divided_up(rows, i) + divided_up(columns, tiles / i);
    if (edge < shortest) {
      shortest = edge;
      best.grid_rows = i;
      best.grid_columns = tiles / i;
    }
  }
  return best;
}

namespace impl {

/// A block with its frame in a variable of such blocks; row and column 0 are of the frame.
struct framed_block {
  std::size_t begin = 0;
  std::size_t height = 0;  // without the frame
  std::size_t width = 0;

  constexpr std::size_t pitch() const { return width + 2; }
  constexpr std::size_t cell(std::size_t row, std::size_t column) const { return begin + row * pitch() + column; }
};

/// Fills the frames of `u` from the neighbours, sides only; the outermost frames keep what they hold.
template <class = void>
inline step exchange_frames(const stencil_grid& s, variable_id u) {
  const dynamic_array<std::size_t> at = s.offsets();
  const auto block = [&](std::size_t i, std::size_t j) {
    return framed_block{at[i * s.grid_columns + j], s.height(i), s.width(j)};
  };
  light_vector<copy_piece> pieces;
  for (std::size_t i = 0; i < s.grid_rows; ++i) {
    for (std::size_t j = 0; j < s.grid_columns; ++j) {
      const framed_block mine = block(i, j);
      const auto row = [&](const framed_block& of, std::size_t from, std::size_t to) {
        pieces.push_back({.from = {u, of.cell(from, 1)}, .to = {u, mine.cell(to, 1)}, .length = mine.width});
      };
      const auto column = [&](const framed_block& of, std::size_t from, std::size_t to) {
        pieces.push_back({.from = {u, of.cell(1, from), of.pitch()}, .to = {u, mine.cell(1, to), mine.pitch()}, .length = 1, .count = mine.height});
      };
      if (i > 0) row(block(i - 1, j), s.height(i - 1), 0);
      if (i + 1 < s.grid_rows) row(block(i + 1, j), 1, mine.height + 1);
      if (j > 0) column(block(i, j - 1), s.width(j - 1), 0);
      if (j + 1 < s.grid_columns) column(block(i, j + 1), 1, mine.width + 1);
    }
  }
  return copy(std::move(pieces));
}

/// The cycles of compiled scalar code for `cells` cells of a stencil of `points` points, weighted by two factors: all
/// points are loaded; what is added as they come runs beside the loads; the last sum, its product and the sum with the
/// centre do not.
constexpr vertex_cost stencil_cost(const architecture& chip, std::size_t cells, std::size_t rows, std::size_t points) {
  const loop_turn turn{.loads = points, .arithmetic_after_loads = 3, .stores = 1};
  const std::size_t row_start = 12;  // pointers to the rows of the frame and of the block
  const std::size_t bundles =
      20 + divided_up(cells, chip.workers) * turn.bundles() + divided_up(rows, chip.workers) * row_start;
  return {bundles, chip.supervisor_launch.value, true, (points + 1) * cells};
}

}  // namespace impl

/// The factors of a five-point stencil: of the cell itself and of its four neighbours.
struct five_points {
  float centre = 0;
  float side = 0;
};

namespace impl {

/// Cells of a block inside its frame.
struct stencil_block {
  std::size_t height = 0;
  std::size_t width = 0;
};

/// `to` inside the frame from `from`, both with their frames.
template <class = void>
inline codelet five_point_codelet(const five_points& by) {
  return codelet(
      name_from("five points"), bytes{300},
      [by](stencil_block block, std::span<const float> from, inout<float> to) {
        const std::size_t pitch = block.width + 2;
        for (std::size_t r = 1; r <= block.height; ++r) {
          for (std::size_t i = r * pitch + 1; i <= r * pitch + block.width; ++i) {
            to[i] = by.centre * from[i] + by.side * (from[i - pitch] + from[i + pitch] + from[i - 1] + from[i + 1]);
          }
        }
      },
      [](const architecture& chip, lengths, stencil_block block) {
        return stencil_cost(chip, block.height * block.width, block.height, 5);
      });
}

}  // namespace impl

/// A step of the stencil: frames are exchanged, then every tile computes its block of `to` from its block of `from`.
template <class = void>
inline step five_point_step(graph& g, const stencil_grid& s, const five_points& by, variable_id from, variable_id to) {
  throw_if(impl::verify_sizes("five_point_step", {{"rows", s.rows}, {"columns", s.columns},
                                                    {"grid_rows", s.grid_rows}, {"grid_columns", s.grid_columns}}));
  impl::check_elements(g, "five_point_step", {{from, s.offsets().back()}, {to, s.offsets().back()}});
  const compute_set_id set = g.add_compute_set("five points");
  light_vector<impl::stencil_block> blocks;
  for (std::size_t i = 0; i < s.grid_rows; ++i) {
    for (std::size_t j = 0; j < s.grid_columns; ++j) blocks.push_back({s.height(i), s.width(j)});
  }
  const std::size_t code = g.add_codelet(impl::five_point_codelet(by));
  g.add_vertices(set, {code, s.first_tile, s.tiles(), 1, {whole(from), whole(to)}, blocks});
  return sequence(impl::exchange_frames(s, from), execute(set));
}

/// Cells by rows to framed blocks, or back; frames become `outside`.
template <class = void>
inline light_vector<float> to_blocks(const stencil_grid& s, std::span<const float> cells, float outside) {
  throw_if(impl::verify_elements("to_blocks", name_from("cells"), cells.size(), s.rows * s.columns));
  light_vector<float> made(s.offsets().back(), outside);
  std::size_t at = 0;
  for (std::size_t i = 0; i < s.grid_rows; ++i) {
    for (std::size_t j = 0; j < s.grid_columns; at += s.framed(i, j), ++j) {
      for (std::size_t e = 0; e < s.height(i) * s.width(j); ++e) {
        const std::size_t r = e / s.width(j);
        const std::size_t c = e % s.width(j);
        made[at + (r + 1) * (s.width(j) + 2) + c + 1] = cells[(s.row_begin(i) + r) * s.columns + s.column_begin(j) + c];
      }
    }
  }
  return made;
}

template <class = void>
inline light_vector<float> from_blocks(const stencil_grid& s, std::span<const float> blocks) {
  throw_if(impl::verify_elements("from_blocks", name_from("blocks"), blocks.size(), s.offsets().back()));
  light_vector<float> cells(s.rows * s.columns);
  std::size_t at = 0;
  for (std::size_t i = 0; i < s.grid_rows; ++i) {
    for (std::size_t j = 0; j < s.grid_columns; at += s.framed(i, j), ++j) {
      for (std::size_t e = 0; e < s.height(i) * s.width(j); ++e) {
        const std::size_t r = e / s.width(j);
        const std::size_t c = e % s.width(j);
        cells[(s.row_begin(i) + r) * s.columns + s.column_begin(j) + c] =
            blocks[at + (r + 1) * (s.width(j) + 2) + c + 1];
      }
    }
  }
  return cells;
}

}  // namespace ipuflow::ipu
