// SPDX-License-Identifier: BSL-1.0
// An IPU that repeats a block does the operations of its cells in their order, whatever the number of blocks.
#include <ipuflow/schedule/generators/block_phases.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace block_phases_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

using entry = std::tuple<pass, std::size_t>;  // and the chunk

std::vector<entry> run(const phase_list& phases) {
  std::vector<entry> all;
  for (const program_phase& phase : phases) {
    for (std::size_t i = 0; i < phase.times; ++i) {
      for (const beat& b : phase.beats) all.push_back({b.kind, b.chunk});
    }
  }
  return all;
}

std::vector<entry> in_cells(const whole_block& block, std::size_t count) {
  std::vector<std::tuple<std::size_t, entry>> cells;
  for (const block_cell& c : block.of) {
    for (std::size_t m = 0; m < count; ++m) cells.push_back({c.at + block_length * m, {c.what.kind, c.what.chunk}});
  }
  std::sort(cells.begin(), cells.end());
  std::vector<entry> all;
  for (const auto& [at, what] : cells) all.push_back(what);
  return all;
}

}  // namespace

TEST_CASE("all six have a cell of their own, and gradients for weights come after their backwards") {
  const whole_block block{block_cells{{2, 7, 12, 16}}};
  bool taken[block_length]{};
  for (const block_cell& c : block.of) {
    CHECK_FALSE(taken[c.at % block_length]);
    taken[c.at % block_length] = true;
  }
  CHECK(block.of[4].what == beat{pass::backward_weights, 1});
  CHECK(block.of[4].at > block.of[2].at);
  CHECK(block.of[5].at > block.of[3].at);
  CHECK(block.of[4].at + block.of[5].at <= block.of[2].at + block.of[3].at + 2 * block_length);
}

TEST_CASE("phases are the operations in the order of their cells") {
  std::size_t compared = 0;
  for (std::size_t b = 0; b < 40; ++b) {
    const std::size_t i = b + 5 + 11 * b * b % 23;
    std::size_t at = i;
    block_cells cells;
    bool taken[block_length]{};
    for (std::size_t& cell : cells.of) {
      while (taken[at % block_length]) ++at;
      taken[at % block_length] = true;
      cell = at;
      at += 1 + (i * 7 + at) % 19;
    }
    const whole_block block{cells};
    for (const std::size_t count : {1u, 2u, 3u, 7u, 20u}) {
      CHECK(run(block_phases{block, count}.phases()) == in_cells(block, count));
      ++compared;
    }
  }
  CHECK(compared == 200);
}

}  // namespace block_phases_test
