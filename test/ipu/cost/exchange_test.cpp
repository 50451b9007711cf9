// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/cost/exchange.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace exchange_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

void send(exchange_load& load, std::size_t from, std::vector<std::size_t> to, std::size_t size) {
  load.send(from, to, size);
}

}  // namespace

TEST_CASE("four bytes a cycle each way, both ways at once, after the latency") {
  exchange_load load(mk2.tiles);
  send(load, 0, {3}, 400);
  send(load, 3, {0}, 200);
  send(load, 5, {7}, 100);
  CHECK(exchange_time(load, mk2) == mk2.exchange_latency + 100_cycles);
  send(load, 5, {3}, 100);
  CHECK(exchange_time(load, mk2) == mk2.exchange_latency + 125_cycles);
  CHECK(load.total() == 800);
  CHECK(exchange_time(exchange_load(mk2.tiles), mk2) == cycles{});
}

TEST_CASE("one send serves all that listen; a pair that listens together takes it at double width") {
  exchange_load one(mk2.tiles);
  send(one, 0, {2, 4, 6}, 400);
  CHECK(one.sent(0) == 400);
  CHECK(one.busy(4, mk2) == 100);
  exchange_load pairs(mk2.tiles);
  send(pairs, 0, {2, 3, 4}, 400);
  CHECK(pairs.busy(2, mk2) == 50);
  CHECK(pairs.busy(3, mk2) == 50);
  CHECK(pairs.busy(4, mk2) == 100);
  CHECK(pairs.busy(0, mk2) == 100);
  exchange_load within(mk2.tiles);
  send(within, 2, {2, 3}, 400);  // one of the pair sends, so it does not listen
  CHECK(within.busy(3, mk2) == 100);
}

TEST_CASE("bytes that stay cost nothing, and part of a word costs a word") {
  exchange_load load(mk2.tiles);
  send(load, 9, {9}, 1000);
  CHECK(exchange_time(load, mk2) == cycles{});
  send(load, 9, {11}, 5);
  CHECK(exchange_time(load, mk2) == mk2.exchange_latency + 2_cycles);
}

}  // namespace exchange_test
