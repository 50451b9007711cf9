// SPDX-License-Identifier: BSL-1.0
// Blocks of a matrix brought to the tiles that multiply them, each to several tiles at once.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/reduction_plan.hpp>
#include <ipuflow/ipu/program/arrange.hpp>
#include <ipuflow/ipu/program/matrix_order.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace ipuflow::ipu::impl {

/// The blocks of a matrix, of which each is given to several tiles.
class block_copies {
 public:
  /// Rows [row, row + height) x columns [column, column + width) of a matrix with `pitch` columns, to each of `tiles`. Blocks of an
  /// order that is not plain are runs of it.
  template <class = void>
  void add(std::size_t row, std::size_t height, std::size_t column, std::size_t width, std::size_t pitch, light_vector<std::size_t> tiles,
           const matrix_order& order = {}) {
    const std::size_t size = height * width;
    if (size == 0) return;
    if (order.is_plain())
      blocks_.push_back({row * pitch + column, pitch, width, height, std::move(tiles)});
    else
      blocks_.push_back({order.place(row * pitch + column), 0, size, 1, std::move(tiles)});
  }

  /// The matrix with its blocks on their tiles. If many tiles would send short messages to all of these, a few of them put a block together.
  template <class = void>
  arranged bring(graph& g, variable_id matrix, std::string_view name) const {
    const std::size_t holders = holders_of(g, matrix);
    if (holders == 0) return arrange(g, matrix, name, mapping_of(everywhere()), pieces(true));
    light_vector<tile_block> parts;
    light_vector<copy_piece> again;
    std::size_t from = 0, at = 0;
    for (const block& b : blocks_) {
      const dimension_cut shares = share_cut(b.size(), algorithms::min(holders, b.tiles.size()));
      for (std::size_t h = 0; h < shares.parts; ++h) parts.push_back({b.tiles[h * b.tiles.size() / shares.parts], shares.size(h)});
      again.push_back({.from = {.begin = from}, .to = {.begin = at}, .length = b.size(), .copies = b.tiles.size(), .copy_step = b.size()});
      from += b.size(), at += b.size() * b.tiles.size();
    }
    arranged together = arrange(g, matrix, "parts of blocks", mapping_of(parts), pieces(false));
    arranged made = arrange(g, together.variable, name, mapping_of(everywhere()), std::move(again));
    return {made.variable, sequence(std::move(together.bring), std::move(made.bring))};
  }

 private:
  struct block {
    std::size_t begin = 0, step = 0, run = 0, runs = 0;  // where it is
    light_vector<std::size_t> tiles{};

    std::size_t size() const { return run * runs; }
  };

  light_vector<tile_block> everywhere() const {
    light_vector<tile_block> made;
    for (const block& b : blocks_) {
      for (const std::size_t tile : b.tiles) made.push_back({tile, b.size()});
    }
    return made;
  }
  light_vector<copy_piece> pieces(bool to_all) const {
    light_vector<copy_piece> made;
    std::size_t at = 0;
    for (const block& b : blocks_) {
      const std::size_t copies = to_all ? b.tiles.size() : 1;
      made.push_back({.from = {.begin = b.begin, .step = b.step},
                      .to = {.begin = at, .step = b.run},
                      .length = b.run,
                      .count = b.runs,
                      .copies = copies,
                      .copy_step = b.size()});
      at += b.size() * copies;
    }
    return made;
  }

  /// The tiles that put a block together; none, if its messages are as long as one instruction can send them. With as many tiles as
  /// messages for each of them both exchanges have the fewest.
  template <class = void>
  std::size_t holders_of(const graph& g, variable_id matrix) const {
    const variable& v = g[matrix];
    const std::size_t held = divided_up(v.elements(), algorithms::max<std::size_t>(1, v.tiles().size()));
    std::size_t messages = 0, readers = 0;
    for (const block& b : blocks_) {
      if (algorithms::min(b.run, held) * size_of(v.type()) >= words_of_send * word) continue;
      messages = algorithms::max(messages, b.runs * divided_up(b.run, held)), readers = algorithms::max(readers, b.tiles.size());
    }
    std::size_t holders = 1;
    while (holders * holders < messages) ++holders;
    holders = algorithms::min(holders, algorithms::max<std::size_t>(1, readers) - 1);  // one without a part gets all words: so long a timetable takes, too
    constexpr std::size_t phase = code_of_phase / control;
    return holders > 1 && holders + divided_up(messages, holders) + phase < messages ? holders : 0;
  }

  light_vector<block> blocks_{};
};

}  // namespace ipuflow::ipu::impl
