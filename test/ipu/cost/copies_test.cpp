// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/cost/copies.hpp>

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/exchange/exchange_schedule.hpp>
#include <ipuflow/ipu/program/arrange.hpp>

#include "tiny.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>

namespace copies_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("fragments are the copy, element by element") {
  graph g(tiny_chip());
  const variable_id a = g.add_variable<float>("a", 63, grid(7, 9, 2, 3));
  const variable_id b = g.add_variable<float>("b", 63, linear(63, 8));
  std::mt19937 random(2);
  for (int trial = 0; trial < 100; ++trial) {
    const std::size_t length = 1 + random() % 7;
    const std::size_t count = 1 + random() % 4;
    const copy_piece piece{{a, random() % 20, random() % 12}, {b, random() % 20, length}, length, count};
    ipuflow::light_vector<std::pair<std::size_t, std::size_t>> wanted;  // target place to source place, in order
    ipuflow::light_vector<std::pair<placed_run, placed_run>> got;
    for_each_fragment(g, copy({piece}), [&](const fragment& f) {
      for (std::size_t i = 0; i < f.source.length; ++i) {
        REQUIRE(f.targets.size() == 1);
        got.push_back({{f.source.tile, f.source.local + i, 1}, {f.targets[0].tile, f.targets[0].local + i, 1}});
      }
    });
    REQUIRE(got.size() == length * count);
    for (std::size_t r = 0, k = 0; r < count; ++r) {
      for (std::size_t i = 0; i < length; ++i, ++k) {
        CHECK(got[k].first == g[a].at(piece.from.begin + r * piece.from.step + i, 1));
        CHECK(got[k].second == g[b].at(piece.to.begin + r * piece.to.step + i, 1));
      }
    }
  }
}

TEST_CASE("what stays on a tile is a local copy, what leaves it an exchange, what leaves the chip a transfer") {
  graph g(tiny_chip(), 2);
  const variable_id a = g.add_variable<float>("a", 100, on_tile(100, 0));
  const variable_id here = g.add_variable<float>("here", 100, on_tile(100, 0));
  const variable_id near = g.add_variable<float>("near", 100, on_tile(100, 5));
  const variable_id far = g.add_variable<float>("far", 100, on_tile(100, 9));
  const copy_cost local = cost_of_copy(g, copy({{{a}, {here}, 100}}));
  CHECK(local.chips.at(0).local == 288_cycles + cycles{6 * 9});
  CHECK(local.chips.at(0).exchange == cycles{});
  CHECK(local.code_bytes.empty());
  const copy_cost exchange = cost_of_copy(g, copy({{{a}, {near}, 100}}));
  CHECK(exchange.chips.at(0).exchange == mk2.exchange_latency + 100_cycles);
  CHECK(exchange.chips.at(0).exchanged == 400);
  CHECK(exchange.code_bytes[0] == code_of_phase + 2 * 4);  // 64 words, and the rest
  CHECK(exchange.code_bytes[5] == code_of_phase + 8);
  CHECK(exchange.code_bytes[1] == 0);
  const copy_cost transfer = cost_of_copy(g, copy({{{a}, {far}, 100}}));
  CHECK(transfer.chips.empty());
  REQUIRE(transfer.transfers.size() == 1);
  CHECK(transfer.transfers[0] == chip_transfer{0, 1, 400_B});
}

TEST_CASE("a stream that can begin with a receive of a new place needs no instruction of its own, whoever takes its words") {
  graph g(tiny_chip());
  const variable_id a = g.add_variable<float>("a", 300, on_tile(300, 0)), b = g.add_variable<float>("b", 300, on_tile(300, 5));
  const variable_id c = g.add_variable<float>("c", 300, on_tile(300, 0)), d = g.add_variable<float>("d", 300, on_tile(300, 5));
  const auto code = [&](ipuflow::light_vector<copy_piece> pieces) { return cost_of_copy(g, copy(std::move(pieces))).code_bytes[0]; };
  CHECK(code({{{a}, {b}, 50}}) == code_of_phase + 4);
  CHECK(code({{{d}, {c}, 50}}) == code_of_phase + 8);
  CHECK(code({{{a}, {b}, 50}, {{d}, {c}, 50}}) == code_of_phase + 8);
  CHECK(code({{{a}, {b}, 50}, {{a, 60}, {b, 60}, 50}, {{d}, {c}, 50}}) == code_of_phase + 8 + 4);
  const variable_id far = g.add_variable<float>("far", 300, on_tile(300, 6));
  CHECK(code({{{a}, {b}, 30}, {{a, 30}, {far}, 30}}) == code_of_phase + 4);
}

TEST_CASE("a tile that only sends has an instruction with each address, and one for each 4,096 words that go on") {
  for (const auto& [words, made] : {std::pair<std::uint64_t, std::uint64_t>{1, 1}, {64, 1}, {65, 2}, {64 + 4096, 2}, {64 + 4097, 3}})
    CHECK(tile_traffic{.streams = 1, .sent = words}.sends() == made);
}

TEST_CASE("what is sent beside receives is cut by them: an instruction more for each of over 64 words, and no more than that") {
  for (const std::uint64_t receives : {1u, 7u, 21u}) {
    for (const std::uint64_t each : {1u, 64u, 65u, 144u, 2000u}) {
      CAPTURE(receives);
      CAPTURE(each);
      tile_traffic t{.streams = 1, .sent = receives * each, .goes_on = receives - 1, .new_place = 1, .received = receives * each};
      CHECK(t.sends() == (each > 64 ? receives : 0u));
      std::uint64_t least = t.sends();
      for (; t.sent > 0; t.sent /= 2) {
        CHECK(t.sends() <= least);
        least = t.sends();
      }
      CHECK(tile_traffic{.streams = 3, .sent = 30, .goes_on = receives, .received = each}.sends() == 3);
    }
  }
}

TEST_CASE("the same words for several tiles leave once") {
  graph g(tiny_chip());
  const variable_id a = g.add_variable<float>("a", 50, on_tile(50, 0));
  const variable_id b = g.add_variable<float>("b", 150, {{0, 50, 2}, {50, 100, 4}, {100, 150, 6}});
  const auto s = copy({{{a}, {b}, 50}, {{a}, {b, 50}, 50}, {{a}, {b, 100}, 50}});
  CHECK(cost_of_copy(g, s).chips.at(0).exchange == mk2.exchange_latency + 50_cycles);
  const auto in_one = copy({{.from = {a}, .to = {b}, .length = 50, .copies = 3, .copy_step = 50}});
  CHECK(cost_of_copy(g, in_one).chips.at(0).exchange == mk2.exchange_latency + 50_cycles);
  CHECK(cost_of_copy(g, in_one).chips.at(0).exchanged == 600);
  const exchange_pattern p = pattern_of_copy(g, s);
  REQUIRE(p.size() == 1);
  CHECK(p[0].receiver_count == 3);
  CHECK(schedule_exchange(p).length == 50);
}

namespace {

architecture without_pairs(architecture chip) {
  chip.tiles_per_bus = 1;
  return chip;
}

/// Counted cycles of the copy's words, which must be the bound of its pattern; its schedule is as long, or longer if
/// multicasts overlap: by how much is the result.
std::size_t over_the_count(const graph& g, const copy& s) {
  const copy_cost cost = cost_of_copy(g, s);
  const exchange_pattern p = pattern_of_copy(g, s);
  const std::uint64_t exchange = cost.chips.contains(0) ? cost.chips.at(0).exchange.value : 0;
  const std::size_t counted = exchange == 0 ? 0 : exchange - g.chip().exchange_latency.value;
  CHECK(counted == lower_bound(p));
  const exchange_schedule made = schedule_exchange(p);
  CHECK(verify(p, made) == exchange_fault{});
  REQUIRE(made.length >= counted);
  return made.length - counted;
}

/// A mapping of random intervals to random tiles.
mapping scattered(std::size_t elements, std::size_t longest, std::size_t tiles, std::mt19937& random) {
  mapping made;
  for (std::size_t at = 0; at < elements;) {
    const std::size_t end = std::min(elements, at + 1 + random() % longest);
    made.push_back({at, end, random() % tiles});
    at = end;
  }
  return made;
}

/// Counts with and without pairs of tiles, of a copy of one variable to another.
template <class T>
void hold_the_law(const mapping& from, const mapping& to, const ipuflow::light_vector<copy_piece>& pieces, bool multicasts = false) {
  const auto cost_on = [&](const architecture& chip, bool law) {
    graph g(chip);
    const variable_id a = g.add_variable<T>("a", from.back().end, from);
    const variable_id b = g.add_variable<T>("b", to.back().end, to);
    const copy s = deliver(pieces, a, b);
    if (law) {
      const std::size_t over = over_the_count(g, s);
      CHECK(over <= (multicasts ? 1 + lower_bound(pattern_of_copy(g, s)) / 20 : 0));
    }
    const copy_cost cost = cost_of_copy(g, s);
    return cost.chips.contains(0) ? cost.chips.at(0).exchange.value : 0;
  };
  const std::uint64_t alone = cost_on(without_pairs(tiny_chip()), true);
  const std::uint64_t paired = cost_on(tiny_chip(), false);
  CHECK(paired <= alone);
  if (alone > 0) CHECK(2 * (paired - mk2.exchange_latency.value) + 1 >= alone - mk2.exchange_latency.value);
}

}  // namespace

TEST_CASE("an exchange takes as many cycles as the bound of its words and its schedule, whatever is copied") {
  std::mt19937 random(4);
  for (int trial = 0; trial < 100; ++trial) {
    const std::size_t rows = 1 + random() % 23, columns = 1 + random() % 23, n = rows * columns;
    const mapping from = scattered(n, 1 + random() % 40, 8, random), to = scattered(n, 1 + random() % 40, 8, random);
    ipuflow::light_vector<copy_piece> transpose, some;
    for (std::size_t r = 0; r < rows; ++r)
      transpose.push_back({.from = {{}, columns * r, 1}, .to = {{}, r, rows}, .length = 1, .count = columns});
    for (std::size_t at = 0; at < n;) {
      const std::size_t length = 1 + random() % std::min<std::size_t>(n - at, 9);
      if (random() % 3 > 0) some.push_back({{{}, at}, {{}, n - at - length}, length});
      at += length;
    }
    for (const ipuflow::light_vector<copy_piece>& pieces : {transpose, some, {{.length = n}}}) {
      if (pieces.empty()) continue;
      hold_the_law<half>(from, to, pieces);
      hold_the_law<float>(from, to, pieces);
      hold_the_law<std::uint8_t>(from, to, pieces);
    }
  }
}

TEST_CASE("so do multicasts, or their schedule is a little longer where they overlap") {
  std::mt19937 random(6);
  for (int trial = 0; trial < 50; ++trial) {
    const std::size_t length = 1 + random() % 30, copies = 2 + random() % 3;
    const mapping from = scattered(6 * length, 20, 8, random), to = scattered(6 * length * copies, 20, 8, random);
    ipuflow::light_vector<copy_piece> pieces;
    for (std::size_t i = 0; i < 6; ++i)
      pieces.push_back({.from = {{}, i * length}, .to = {{}, i * length}, .length = length, .copies = copies, .copy_step = 6 * length});
    hold_the_law<half>(from, to, pieces, true);
    hold_the_law<float>(from, to, pieces, true);
  }
}

TEST_CASE("channels that share words in pairs do not change their places in them: halves of odd rows come to their place") {
  const auto cost_of = [](bool in_pairs, std::size_t row) {
    graph g(mk2);
    const variable_id from = g.add_variable<half>("from", 8 * 10 * row, on_tile(8 * 10 * row, 0));
    const variable_id to = g.add_variable<half>("to", 8 * row, mapping{{0, 4 * row, 0}, {4 * row, 8 * row, 1}});
    // One row of eight planes of ten, four for the tile itself and four for its neighbour.
    const copy_piece piece{.from = {from, 3 * row, 10 * row}, .to = {to, 0, row}, .length = row, .count = 8, .in_pairs = in_pairs};
    return cost_of_copy(g, copy({piece}));
  };
  const chip_copy one_by_one = cost_of(false, 95).chips.at(0), words = cost_of(true, 95).chips.at(0);
  CHECK(one_by_one.local >= cycles{4 * 95 / 2 * 21});  // every other row begins in the middle of a word
  CHECK(words.local == cost_of(true, 96).chips.at(0).local);
  CHECK(words.local == cost_of(false, 96).chips.at(0).local);
  CHECK(words.local.value < one_by_one.local.value / 4);
  CHECK(cost_of(true, 95).code_bytes == cost_of(false, 96).code_bytes);
  CHECK(words.exchange <= cost_of(false, 96).chips.at(0).exchange);
}

TEST_CASE("a transpose of 128 x 729 halves is not counted below its bound") {
  ipuflow::light_vector<copy_piece> pieces;
  for (std::size_t r = 0; r < 128; ++r) pieces.push_back({.from = {{}, 729 * r, 1}, .to = {{}, r, 128}, .length = 1, .count = 729});
  hold_the_law<half>(grid(128, 729, 4, 2), linear(128 * 729, 8, 0, 128), pieces);
}

TEST_CASE("a sequence of odd length costs what its misalignment costs: scores [heads, S, S] of halves, from blocks to rows") {
  const auto cost_of = [](std::size_t s) {
    constexpr std::size_t heads = 16;
    graph g(mk2);
    mapping blocks;  // [S / 2, S] of each head
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t part = 0; part < 2; ++part)
        blocks.push_back({(h * s + part * s / 2) * s, (h * s + (part + 1) * s / 2) * s, 2 * h + part});
    }
    const variable_id scores = g.add_variable<half>("scores", heads * s * s, blocks);
    const variable_id rows = g.add_variable<half>("rows", heads * s * s, linear(heads * s * s, mk2.tiles - 64, 64, s));
    const copy_cost cost = cost_of_copy(g, copy({{{scores}, {rows}, heads * s * s}}));
    return cost.chips.at(0);
  };
  CHECK(cost_of(192).local == cycles{});
  CHECK(cost_of(200).local == cycles{});
  for (const std::size_t odd : {197u, 729u}) {
    // A row that begins in the middle of a word: 21.5 bundles for each half, by six workers.
    CHECK(cost_of(odd).local >= cycles{odd * 21});
    CHECK(cost_of(odd).exchange > cost_of(odd - 1).exchange);
  }
}

}  // namespace copies_test
