// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/cost/copies.hpp>

#include <ipuflow/ipu/exchange/exchange_schedule.hpp>

#include "tiny.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

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
    std::vector<std::pair<std::size_t, std::size_t>> wanted;  // target place to source place, in order
    std::vector<std::pair<placed_run, placed_run>> got;
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

TEST_CASE("the explicit schedule of a copy is as long as its cost says, where no pair shares") {
  std::mt19937 random(4);
  for (int trial = 0; trial < 50; ++trial) {
    graph g(tiny_chip());
    const variable_id a = g.add_variable<float>("a", 96, linear(96, 8));
    const variable_id b = g.add_variable<float>("b", 96, grid(12, 8, 2, 4));
    std::vector<copy_piece> pieces;
    for (std::size_t n = 0; n < 6; ++n) pieces.push_back({{a, 16 * n + random() % 8}, {b, 16 * (5 - n)}, 1 + random() % 8});
    const auto s = copy(pieces);
    const copy_cost cost = cost_of_copy(g, s);
    const exchange_pattern p = pattern_of_copy(g, s);
    const std::size_t length = schedule_exchange(p).length;
    const std::uint64_t counted = !cost.chips.contains(0) ? 0 : cost.chips.at(0).exchange.value;
    if (length == 0)
      CHECK(counted == 0);
    else
      CHECK(counted <= mk2.exchange_latency.value + length);
    CHECK(length == lower_bound(p));
  }
}

}  // namespace copies_test
