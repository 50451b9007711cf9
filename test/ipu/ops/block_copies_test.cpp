// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/ipu/ops/block_copies.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace block_copies_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

/// Exchange code on the fullest tile of a chip when 64 tiles get a block of 8,192 halves that stands on as many tiles as there are messages.
std::size_t code_of_block(std::size_t messages) {
  graph g(mk2);
  const variable_id a = g.add_variable<half>("a", 8192, linear(8192, messages));
  std::vector<std::size_t> readers;
  for (std::size_t t = 0; t < 64; ++t) readers.push_back(mk2.tiles - 1 - t);
  block_copies blocks;
  blocks.add(0, 16, 0, 512, 512, std::move(readers));
  const profile seen = cost(pod(mk2, 1), g, blocks.bring(g, a, "block").bring);
  std::size_t most = 0;
  for (const tile_memory& t : seen.memory.tiles) most = std::max<std::size_t>(most, t[memory_category::exchange_code]);
  return most;
}

}  // namespace

TEST_CASE("each block comes to all of its tiles, row after row, whatever the order that the matrix is stored in") {
  architecture chip = mk2;
  chip.tiles = 32;
  constexpr std::size_t rows = 6, columns = 40;
  for (const matrix_order& order : {matrix_order{}, in_panels(rows, columns, 3)}) {
    graph g(chip);
    const variable_id m = g.add_variable<float>("m", rows * columns, linear(rows * columns, 7));
    block_copies blocks;
    blocks.add(2, 2, 16, 16, columns, {20, 5, 9}, order);
    blocks.add(0, 2, 32, 8, columns, {30}, order);
    const arranged made = blocks.bring(g, m, "blocks");
    const variable_id kept = g.add_variable<float>("kept", 3 * 32 + 16, g[made.variable].map());
    const step program = sequence(made.bring, copy_all(g, made.variable, kept));
    engine e(pod(chip, 1), g, program, {.checked = true});
    std::vector<float> numbers(rows * columns);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[order.place(i)] = static_cast<float>(i);
    e.write(m, numbers);
    e.run();
    std::vector<float> wanted;
    for (const std::size_t row : {2u, 3u, 2u, 3u, 2u, 3u})
      for (std::size_t c = 16; c < 32; ++c) wanted.push_back(static_cast<float>(row * columns + c));
    for (const std::size_t row : {0u, 1u})
      for (std::size_t c = 32; c < 40; ++c) wanted.push_back(static_cast<float>(row * columns + c));
    CHECK(e.read<float>(kept) == wanted);
    std::vector<std::size_t> tiles;
    for (const mapped_interval& i : g[made.variable].map()) tiles.push_back(i.tile);
    CHECK(tiles == std::vector<std::size_t>{20, 5, 9, 30});
  }
}

TEST_CASE("a block that many tiles read has a receive for each long message; of short ones a tile gets twice the root") {
  for (const std::size_t messages : {4u, 16u, 32u, 64u}) CHECK(code_of_block(messages) == code_of_phase + control * (messages + 1));
  for (const auto& [messages, root] : {std::pair<std::size_t, std::size_t>{128, 12}, {256, 16}, {512, 23}}) {
    CAPTURE(messages);
    CHECK(code_of_block(messages) <= 2 * code_of_phase + control * (2 * root + 3));
    CHECK(2 * code_of_block(messages) < control * messages + 64);
  }
}

}  // namespace block_copies_test
