// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/variable.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <utility>

namespace variable_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("every element has one place, and a tile's places are counted without holes") {
  const variable v(name_from("v"), element_type::f16, 77, grid(7, 11, 3, 4), true);
  std::set<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t e = 0; e < 77; ++e) {
    const placed_run run = v.at(e, 1);
    CHECK(run.length == 1);
    CHECK(run.local < v.held(run.tile));
    CHECK(places.insert({run.tile, run.local}).second);
    for (const mapped_interval& i : v.map()) {
      if (i.begin <= e && e < i.end) CHECK(run.tile == i.tile);
    }
  }
  CHECK(v.size() == 154_B);
  CHECK(v.held(99) == 0);
}

TEST_CASE("a run ends with its interval") {
  const variable v(name_from("v"), element_type::f32, 10, {{0, 4, 1}, {4, 6, 0}, {6, 10, 1}}, true);
  CHECK(v.at(1, 100) == placed_run{1, 1, 3});
  CHECK(v.at(1, 2) == placed_run{1, 1, 2});
  CHECK(v.at(6, 100) == placed_run{1, 4, 4});
}

TEST_CASE("copies lie one behind the other on each tile, alike") {
  const mapping map{{0, 4, 1}, {4, 6, 0}, {6, 10, 1}};
  const variable one(name_from("one"), element_type::f32, 10, map, true);
  const variable three(name_from("three"), element_type::f32, 10, map, true, 3);
  CHECK(three.elements() == 30);
  CHECK(three.size() == 120_B);
  CHECK(three.held(1) == 3 * one.held(1));
  for (std::size_t copy = 0; copy < 3; ++copy) {
    for (std::size_t e = 0; e < 10; ++e) {
      placed_run there = one.at(e, 100);
      there.local += copy * one.held(there.tile);
      CHECK(three.at(10 * copy + e, 100) == there);
    }
  }
}

}  // namespace variable_test
