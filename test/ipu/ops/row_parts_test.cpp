// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/row_parts.hpp>

#include "row_maps.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <tuple>
#include <vector>

namespace row_parts_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

namespace {

std::size_t row_in_slot(const tile_rows& t, std::size_t slot) {
  for (const auto& [first, end] : t.rows) {
    if (slot < end - first) return first + slot;
    slot -= end - first;
  }
  return static_cast<std::size_t>(-1);
}

}  // namespace

TEST_CASE("Parts are all elements of a tile in its order, each with its row; rows of a tile are told apart and in order") {
  constexpr std::size_t elements = 240;
  for (const row_order order : {row_order{24, 10}, row_order{6, 5}, row_order{1, 24}, row_order{1, 240}, row_order{240, 1}, row_order{7, 3}}) {
    for (const mapping& map : row_maps::all(elements, 24, 13)) {
      const auto found = find_rows(map, element_type::f32, order, 6);
      std::vector<std::vector<std::size_t>> held(13);
      for (const mapped_interval& i : map) {
        for (std::size_t e = i.begin; e < i.end; ++e) held[i.tile].push_back(e);
      }
      std::size_t all = 0;
      for (const tile_rows& t : *found) {
        std::size_t at = 0, vectors = 0;
        for (const row_part& p : t.parts) {
          REQUIRE(p.length > 0);
          vectors += (p.length + 1) / 2;
          for (std::size_t i = 0; i < p.length; ++i, ++at) {
            REQUIRE(held[t.tile][at] == p.begin + i);
            REQUIRE(row_in_slot(t, p.slot + (order.by_columns() ? i : 0)) == order.row_of(p.begin + i));
          }
        }
        CHECK(at == held[t.tile].size());
        CHECK(t.elements == at);
        CHECK(t.vectors == vectors);
        for (std::size_t r = 1; r < t.rows.size(); ++r) CHECK(t.rows[r - 1].second < t.rows[r].first);
        all += at;
      }
      CHECK(all == elements);
    }
  }
}

TEST_CASE("A block of a matrix has parts of the same columns, which a vector of numbers serves") {
  const mapping map = grid(60, 64, 2, 4);
  const auto columns = find_rows(map, element_type::f16, {1, 64}, 6), rows = find_rows(map, element_type::f16, {64, 60}, 6);
  for (const tile_rows& t : *columns) {
    CHECK(t.alike);
    CHECK(t.slots == 16);
    CHECK(t.parts.size() == 30);
    // 24 bundles; four vectors of numbers, each 8 bundles and 2 for each of a worker's five rows
    CHECK(row_pass_cost(mk2, element_type::f16, t, {1, 64}).bundles == 24 + 4 * (8 + 2 * 5));
  }
  // by rows: 15 bundles, a worker's five rows with 7 and four vectors of 2 each
  for (const tile_rows& t : *rows) CHECK(row_pass_cost(mk2, element_type::f16, t, {64, 60}).bundles == 15 + 5 * (7 + 2 * 4));
}

TEST_CASE("Parts of a value in blocks are those that a look at each of them finds, wherever intervals begin") {
  for (const auto& [rows, columns, row_parts] : {std::tuple<std::size_t, std::size_t, std::size_t>{12, 40, 5}, {7, 33, 2}, {30, 16, 30}, {5, 100, 1}}) {
    const matrix_order stored = in_panels(rows, columns, row_parts);
    for (const row_order order : {row_order{columns, rows, stored}, row_order{columns, 3, stored}, row_order{1, columns, stored}, row_order{columns * rows, 1, stored}}) {
      for (std::size_t begin = 0; begin < rows * columns; begin += 13) {
        light_vector<row_part> made;
        ipu::impl::add_parts(order, begin, rows * columns, made);
        std::size_t at = begin;
        for (const row_part& p : made) {
          const row_part one = ipu::impl::part_from(order, at, rows * columns);
          REQUIRE(p.begin == at);
          REQUIRE(p.length == one.length);
          REQUIRE(p.slot == one.slot);
          at += p.length;
        }
        CHECK(at == rows * columns);
      }
    }
  }
}

TEST_CASE("Workers share a part that is alone on its tile; misaligned parts cost more to begin") {
  const auto one = find_rows(linear(960, 1), element_type::f32, {960, 1}, 6), odd = find_rows(linear(959, 1), element_type::f32, {959, 1}, 6);
  CHECK(row_pass_cost(mk2, element_type::f32, (*one)[0], {960, 1}) == vertex_cost{15 + 7 + 2 * 80, 11, true, 960});
  CHECK(row_pass_cost(mk2, element_type::f32, (*odd)[0], {959, 1}) == vertex_cost{15 + 25 + 2 * 80, 11, true, 959});
  // as `reduce_cost` of one number: a share of 40 vectors of four each, then 24 lanes
  CHECK(row_reduce_cost(mk2, element_type::f32, (*one)[0], {960, 1}).bundles == 20 + (2 * 40 + 8) + (2 * 24 + 8) + 1);
}

}  // namespace row_parts_test
