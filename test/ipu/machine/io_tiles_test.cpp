// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/machine/io_tiles.hpp>

#include <doctest/doctest.h>

namespace io_tiles_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

static_assert(io_tiles(mk2, 1_KiB) == 32);
static_assert(io_tiles(mk2, bytes{638'976} * 60) == 64);  // 63 tiles of data and code, made even
static_assert(io_tiles(mk2, bytes{638'976} * 60, true) == 64);
static_assert(io_tiles(mk2, bytes{638'976} * 100, true) == 128);

TEST_CASE("the tiles hold the micro-batch with a twentieth to spare, are even, and no more than there are") {
  for (std::size_t size = 1; size < 2'000'000'000; size = size * 3 + 7) {
    const std::size_t tiles = io_tiles(mk2, {size});
    CHECK(tiles % 2 == 0);
    CHECK(tiles >= 32);
    CHECK(tiles <= mk2.tiles);
    if (tiles < mk2.tiles) CHECK(tiles * mk2.tile_memory.value * 100 >= size * 105);
    if (tiles > 32 && tiles < mk2.tiles) CHECK((tiles - 2) * mk2.tile_memory.value * 100 < size * 105);
  }
}

}  // namespace io_tiles_test
