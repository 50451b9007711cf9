// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/cost/tile_receives.hpp>

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/cost/copies.hpp>

#include "tiny.hpp"

#include <doctest/doctest.h>

#include <cstddef>

namespace tile_receives_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

/// What tile 0 does to receive a copy.
tile_receives at_first_tile(const graph& g, const copy& s) {
  copy_moves moves = moves_of_copy(g, s);
  tile_receives seen;
  for_each_receiver(g, moves.exchanges.begin()->second, 0, [&](std::size_t tile, const tile_receives& r) {
    if (tile == 0) seen = r;
  });
  return seen;
}

/// From `b`, which lies on tiles 4 to 7, to `a` on tile 0.
template <class T>
struct two_ends {
  graph g{tiny_chip()};
  variable_id a = g.add_variable<T>("a", 512, on_tile(512, 0));
  variable_id b = g.add_variable<T>("b", 512, linear(512, 4, 4));
};

}  // namespace

TEST_CASE("a receive that goes on where the last ended needs one control, any other two, in whatever order they are said") {
  two_ends<float> e;
  const ipuflow::light_vector<copy_piece> pieces{{{e.b, 128}, {e.a, 16}, 16}, {{e.b, 256}, {e.a, 32}, 16}, {{e.b}, {e.a}, 16}, {{e.b, 384}, {e.a, 100}, 16}};
  const tile_receives r = at_first_tile(e.g, copy(pieces));
  CHECK(r.new_place == 2);
  CHECK(r.goes_on == 2);
  CHECK(r.receives() == 4);
  CHECK(r.code() == 2 * 4 + 2 * 8);
  CHECK(r.moved.empty());
}

TEST_CASE("single words to scattered places come in a row and are put in place once that takes less memory") {
  const auto column = [](std::size_t words) {
    two_ends<float> e;
    return at_first_tile(e.g, copy({{.from = {e.b, 0, 1}, .to = {e.a, 0, 4}, .length = 1, .count = words}}));
  };
  CHECK(column(30).new_place == 30);
  CHECK(column(30).moved.empty());
  const tile_receives many = column(31);
  CHECK(many.moved.rows == 31);
  CHECK(many.receives() == 1);  // of one message
}

TEST_CASE("rows of three words and more go to their place") {
  two_ends<float> e;
  const tile_receives r = at_first_tile(e.g, copy({{.from = {e.b, 0, 3}, .to = {e.a, 0, 4}, .length = 3, .count = 40}}));
  CHECK(r.new_place == 40);
  CHECK(r.moved.empty());
}

TEST_CASE("halves that would change others in their words come to a buffer; at the end of a tile's part there are none") {
  two_ends<half> e;
  const auto of = [&](std::size_t from, std::size_t to, std::size_t length) {
    return at_first_tile(e.g, copy({{{e.b, from}, {e.a, to}, length}})).moved;
  };
  CHECK(of(0, 0, 64).empty());
  CHECK(of(1, 0, 64).merges == 64);  // another place in a word
  CHECK(of(0, 1, 64).merges == 64);
  CHECK(of(1, 1, 64).merges == 2);  // both ends
  CHECK(of(1, 1, 64).rows == 1);
  CHECK(of(0, 0, 63).merges == 1);  // the last
  CHECK(of(0, 512 - 63 - 1, 63).merges == 1);
  two_ends<half> odd;
  const variable_id short_one = odd.g.add_variable<half>("odd", 63, on_tile(63, 0));
  CHECK(at_first_tile(odd.g, copy({{{odd.b}, {short_one}, 63}})).moved.empty());
}

TEST_CASE("a transpose of halves takes one receive for each run that left in a message") {
  graph g(tiny_chip());
  const variable_id from = g.add_variable<half>("from", 64, linear(64, 2, 4));     // 8 x 8, four rows each
  const variable_id to = g.add_variable<half>("to", 64, on_tile(64, 0));
  ipuflow::light_vector<copy_piece> pieces;
  for (std::size_t r = 0; r < 8; ++r) pieces.push_back({.from = {from, 8 * r, 1}, .to = {to, r, 8}, .length = 1, .count = 8});
  const tile_receives r = at_first_tile(g, copy(pieces));
  CHECK(r.receives() == 2);
  CHECK(r.new_place == 1);
  CHECK(r.moved.merges == 64);
}

}  // namespace tile_receives_test
