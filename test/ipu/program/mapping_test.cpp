// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/mapping.hpp>

#include "said.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace mapping_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

#ifndef _GLIBCXX_DEBUG  // whose vectors are no constants
static_assert(accept<verify(linear(1000, 7), 1000, 7)>());
static_assert(accept<verify(grid(12, 10, 3, 2), 120, 6)>());
static_assert(accept<verify(on_tile(5, 3), 5, 4)>());
static_assert(accept<verify(mapping{{0, 3, 1}, {3, 4, 0}}, 4, 2)>());
#endif

TEST_CASE("linear maps everything, in whole grains, as evenly as they allow") {
  for (std::size_t elements = 1; elements < 200; elements += 7) {
    for (std::size_t tiles = 1; tiles < 20; ++tiles) {
      for (const std::size_t grain : {std::size_t{1}, std::size_t{4}}) {
        const mapping map = linear(elements, tiles, 5, grain);
        CHECK(!verify(map, elements, tiles + 5));
        const auto count = elements_on(map, tiles + 5);
        CHECK(*std::max_element(count.begin(), count.end()) <=
              (elements + tiles * grain - 1) / (tiles * grain) * grain);
        for (const mapped_interval& i : map) CHECK(i.begin % grain == 0);
      }
    }
  }
}

TEST_CASE("grid puts each cell on the tile of its block") {
  for (const auto& [rows, columns, high, wide] :
       {std::array<std::size_t, 4>{12, 10, 3, 2}, {7, 11, 3, 4}, {5, 5, 5, 5}, {9, 4, 2, 1}}) {
    const mapping map = grid(rows, columns, high, wide, 2);
    CHECK(!verify(map, rows * columns, high * wide + 2));
    for (const mapped_interval& i : map) {
      for (std::size_t e = i.begin; e < i.end; ++e) {
        const std::size_t block_row = (i.tile - 2) / wide;
        const std::size_t block_column = (i.tile - 2) % wide;
        CHECK(e / columns >= block_row * rows / high);
        CHECK(e / columns < (block_row + 1) * rows / high);
        CHECK(e % columns >= block_column * columns / wide);
        CHECK(e % columns < (block_column + 1) * columns / wide);
      }
    }
  }
}

TEST_CASE("a mapping by hand is checked") {
  CHECK(said(verify({{0, 3, 0}, {4, 5, 0}}, 5, 1)) ==
        "ipuflow: interval 1 of a mapping begins at element 4 but the one before ends at 3; map every element");
  CHECK(said(verify({{0, 3, 0}, {2, 5, 0}}, 5, 1)) ==
        "ipuflow: interval 1 of a mapping begins at element 2, inside the one before, which ends at 3; map every "
        "element once");
  CHECK(said(verify({{0, 0, 0}, {0, 5, 0}}, 5, 1)) ==
        "ipuflow: interval 0 of a mapping holds no element; leave it out");
  CHECK(said(verify({{0, 3, 0}}, 5, 1)) == "ipuflow: a mapping covers 3 elements of a variable of 5; map them all");
  CHECK(said(verify({{0, 5, 1}}, 5, 1)) == "ipuflow: interval 0 of a mapping is on tile 1 of 1; use tiles below that");
}

static_assert(linear(64, 8, 0, 0).empty() && linear(64, 0).empty(), "in grains of nothing, or over no tiles: no element is mapped");

}  // namespace mapping_test
