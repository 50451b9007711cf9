// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/cost/rearrangement.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace rearrangement_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("a single run of words is copied as fast as memory goes") {
  rearrangement one;
  one.add(400, 80, 4800, 4, mk2.copy_width);
  CHECK(alone(one.cost(mk2), mk2) == alone(local_copy_cost(mk2, 4800_B), mk2));
  CHECK(rearrangement{}.empty());
}

TEST_CASE("a column of 102 words is seventeen for each worker: 801 bundles, the codelet's own count in row H7") {
  rearrangement column;
  for (std::size_t y = 0; y < 102; ++y) column.add(408 * y, 4 * y, 4, 4, mk1.copy_width);
  CHECK(column.cost(mk1).bundles == 801);
  CHECK(alone(column.cost(mk1), mk1) == cycles{6 * 801});
}

TEST_CASE("a longer row takes a bundle more for each 64 bits") {
  rearrangement rows;
  for (std::size_t y = 0; y < 6; ++y) rows.add(128 * y, 40 * y, 40, 2, mk2.copy_width);
  CHECK(rows.cost(mk2).bundles == 36 + 45 + 4);
}

TEST_CASE("halves move one by one where their place in a word changes, and at ends that do not fill one") {
  rearrangement shifted;
  shifted.add(2, 0, 2 * 600, 2, mk2.copy_width);
  CHECK(shifted.cost(mk2).bundles == 36 + 2150);  // 21.5 for each of a worker's hundred
  rearrangement ends;
  ends.add(2, 6, 2 * 602, 2, mk2.copy_width);  // one, 300 words, one
  CHECK(ends.merges == 2);
  CHECK(ends.rows == 1);
  CHECK(ends.cost(mk2).bundles == 36 + divided_up(45 + 149 + 43, 6));
  rearrangement single;
  single.add(2, 2, 2, 2, mk2.copy_width);
  CHECK(single.merges == 1);
  CHECK(single.rows == 0);
}

TEST_CASE("a run that is words moves so, whatever its bytes are") {
  rearrangement planes;
  for (std::size_t channel = 0; channel < 6; ++channel) planes.add_words(2 * 95, mk2.copy_width);
  CHECK(planes.merges == 0);
  CHECK(planes.cost(mk2).bundles == 36 + 45 + 23);  // a row of 95 halves is 24 moves of 64 bits
}

TEST_CASE("what a tile moves of two copies is added up") {
  rearrangement a, b;
  a.add(0, 0, 64, 4, 8);
  b.add(2, 0, 6, 2, 8);
  a += b;
  CHECK(a.size == 70);
  CHECK(a.rows == 1);
  CHECK(a.more == 7);
  CHECK(a.merges == 3);
}

}  // namespace rearrangement_test
