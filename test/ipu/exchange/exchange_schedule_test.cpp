// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/exchange/exchange_schedule.hpp>
#include <ipuflow/core/light_vector.hpp>

#include "said.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <tuple>

namespace exchange_schedule_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

ipuflow::light_vector<std::size_t> all_tiles(std::size_t tiles) {
  ipuflow::light_vector<std::size_t> made(tiles);
  std::iota(made.begin(), made.end(), std::size_t{0});
  return made;
}

exchange_pattern shift(std::size_t tiles, std::size_t by, std::size_t words) {
  exchange_pattern p(tiles);
  for (std::size_t t = 0; t < tiles; ++t) p.add(t, (t + by) % tiles, words);
  return p;
}

/// Tiles as a grid of rows: tile (i, j) has what tile (j, i) needs.
exchange_pattern transpose(std::size_t side, std::size_t words) {
  exchange_pattern p(side * side);
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) p.add(i * side + j, j * side + i, words);
  }
  return p;
}

exchange_pattern broadcast(std::size_t tiles, std::size_t from, std::size_t words) {
  exchange_pattern p(tiles);
  p.add(from, all_tiles(tiles), words);
  return p;
}

exchange_pattern all_to_all(std::size_t tiles, std::size_t words) {
  exchange_pattern p(tiles);
  for (std::size_t a = 0; a < tiles; ++a) {
    for (std::size_t b = 0; b < tiles; ++b) p.add(a, b, words);
  }
  return p;
}

exchange_pattern random_pattern(std::mt19937& random, std::size_t tiles, std::size_t messages, std::size_t most_words) {
  exchange_pattern p(tiles);
  for (std::size_t m = 0; m < messages; ++m) p.add(random() % tiles, random() % tiles, 1 + random() % most_words);
  return p;
}

void check_optimal(const exchange_pattern& p) {
  const exchange_schedule made = schedule_exchange(p);
  CHECK(made.length == lower_bound(p));
  const auto found = verify(p, made);
  CHECK_MESSAGE(!found, said(found));
}

}  // namespace

TEST_CASE("one layer of multicasts that does not fit beside the rest is packed instead") {
  exchange_pattern p(7);
  for (const auto& [from, to, words] : {std::tuple{4u, ipuflow::light_vector<std::size_t>{0, 3}, 2u},
                                        std::tuple{2u, ipuflow::light_vector<std::size_t>{0, 1, 5, 6}, 3u},
                                        std::tuple{6u, ipuflow::light_vector<std::size_t>{2, 3, 4}, 4u}}) {
    p.add(from, to, words);
  }
  const std::size_t bound = lower_bound(p);
  const ipuflow::light_vector<bool> whole = kept_whole(p, bound);
  const auto layers = layers_of(p, whole);
  REQUIRE(layers.size() == 1);
  REQUIRE(layered_schedule(p, whole, layers).length == 8);
  CHECK(bound == 6);
  check_optimal(p);
}

TEST_CASE("1,000 random patterns: as short as the lower bound, conflict-free word by word") {
  std::mt19937 random(20);
  for (int trial = 0; trial < 1000; ++trial) {
    // Sizes are spread over magnitudes: as many small ones as large ones, up to a whole chip.
    const std::size_t magnitude = 1 + random() % 4;
    const std::size_t tiles =
        std::min<std::size_t>(1472, 2 + random() % (magnitude == 4 ? 1471 : 4u << (2 * magnitude)));
    switch (random() % 5) {
      case 0:
        check_optimal(shift(tiles, 1 + random() % tiles, 1 + random() % 100));
        break;
      case 1:
        check_optimal(transpose(1 + random() % 38, 1 + random() % 50));
        break;
      case 2:
        check_optimal(broadcast(tiles, random() % tiles, 1 + random() % 50));
        break;
      case 3:
        check_optimal(all_to_all(1 + tiles % 60, 1 + random() % 8));
        break;
      default:
        check_optimal(random_pattern(random, tiles, 1 + random() % (4 * tiles), 1 + random() % 30));
        break;
    }
  }
}

TEST_CASE("whole chips: 1,472 tiles, dense and heavy") {
  std::mt19937 random(3);
  check_optimal(shift(1472, 736, 5000));
  check_optimal(all_to_all(256, 1));
  check_optimal(random_pattern(random, 1472, 20'000, 10));
  check_optimal(random_pattern(random, 1472, 2'000, 1'000));
}

TEST_CASE("multicasts to rows and columns of a grid, and from every tile to all others") {
  exchange_pattern p(64);
  for (std::size_t i = 0; i < 8; ++i) {
    ipuflow::light_vector<std::size_t> row;
    ipuflow::light_vector<std::size_t> column;
    for (std::size_t j = 0; j < 8; ++j) {
      row.push_back(8 * i + j);
      column.push_back(8 * j + i);
    }
    p.add((8 * i + 19) % 64, row, 40);
    p.add((8 * i + 37) % 64, column, 40);
  }
  const exchange_schedule made = schedule_exchange(p);
  CHECK(!verify(p, made));
  CHECK(made.length <= 80);
  exchange_pattern gather(16);
  for (std::size_t t = 0; t < 16; ++t) gather.add(t, all_tiles(16), 5);
  const exchange_schedule gathered = schedule_exchange(gather);
  CHECK(!verify(gather, gathered));
  CHECK(gathered.length == 75);  // split: each tile sends to each other in turn
}

TEST_CASE("multicasts to overlapping sets: at the lower bound, or hardly above it") {
  std::mt19937 random(11);
  std::size_t bounds = 0, lengths = 0, exact = 0;
  constexpr std::size_t trials = 100;
  for (std::size_t trial = 0; trial < trials; ++trial) {
    const std::size_t tiles = 16 + random() % 100;
    exchange_pattern p(tiles);
    const std::size_t most = 2 + random() % 10;
    for (std::size_t m = 0; m < 3 * tiles; ++m) {
      ipuflow::light_vector<std::size_t> to;
      for (std::size_t r = 0; r < most; ++r) {
        const std::size_t tile = random() % tiles;
        if (std::find(to.begin(), to.end(), tile) == to.end()) to.push_back(tile);
      }
      p.add(random() % tiles, to, 1 + random() % 20);
    }
    const exchange_schedule made = schedule_exchange(p);
    const auto found = verify(p, made);
    CHECK_MESSAGE(!found, said(found));
    CHECK(made.length * 100 <= lower_bound(p) * 105);
    exact += made.length == lower_bound(p) ? 1u : 0u;
    bounds += lower_bound(p);
    lengths += made.length;
  }
  CHECK(lengths * 1000 <= bounds * 1001);
  CHECK(exact * 100 >= trials * 98);
}

TEST_CASE("what is wrong with a schedule is found") {
  exchange_pattern p(4);
  p.add(0, 1, 4);
  p.add(0, 2, 4);
  p.add(3, 1, 4);
  const exchange_schedule good = schedule_exchange(p);
  REQUIRE(!verify(p, good));
  const auto with = [&](auto&& change) {
    exchange_schedule bad = good;
    change(bad);
    return said(verify(p, bad));
  };
  CHECK(with([](auto& s) {
          for (auto& r : s.runs)
            if (r.message < 2) r.slot = 0;
        }) == "ipuflow: tile 0 sends two words in cycle 0 of an exchange; move one run");
  CHECK(with([](auto& s) {
          for (auto& r : s.runs)
            if (r.message != 1)
              r.slot = 0;
            else
              r.slot = 4;
        }) == "ipuflow: tile 1 receives two words in cycle 0 of an exchange; move one run");
  CHECK(with([](auto& s) {
          s.runs = {{0, 0, 0, 4, 0, 1}};
          s.length = 3;
        }) == "ipuflow: tile 0 is still busy in cycle 4 of an exchange that ends after 3; lengthen the schedule");
  CHECK(with([](auto& s) { s.runs = {{0, 0, 0, 3, 0, 1}}; }) ==
        "ipuflow: tile 1 gets 3 words of a message of 4; deliver each word exactly once");
  CHECK(with([](auto& s) { s.runs = {{0, 0, 0, 4, 0, 1}, {0, 0, 4, 1, 0, 1}}; }).find("gets 5 words") !=
        std::string::npos);
}

TEST_CASE("code is counted on the tile that has most of it") {
  const exchange_pattern one = shift(8, 1, 100);
  CHECK(schedule_exchange(one).code_bytes(one) == 4 * (1 + 2 + 2));
  const exchange_pattern none(8);
  CHECK(schedule_exchange(none).code_bytes(none) == 0);
  CHECK(schedule_exchange(none).length == 0);
}

TEST_CASE("messages of tiles that there are not are told") {
  exchange_pattern from(4), to(4);
  from.add(9, 1, 8), to.add(1, 9, 8);
  CHECK(said_by([&] { (void)schedule_exchange(from); }) == "ipuflow: message 0 of an exchange goes from or to tile 9 of 4; use tiles below that");
  CHECK(said_by([&] { (void)schedule_exchange(to); }) == "ipuflow: message 0 of an exchange goes from or to tile 9 of 4; use tiles below that");
}

}  // namespace exchange_schedule_test
