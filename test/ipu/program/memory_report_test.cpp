// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/memory_report.hpp>

#include "said.hpp"

#include <doctest/doctest.h>

namespace memory_report_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("categories have names and add up") {
  memory_report r;
  r.tiles.resize(2);
  r.tiles[0][memory_category::stack] = 7;
  r.tiles[1][memory_category::stack] = 5;
  r.tiles[1][memory_category::gaps] = 1;
  r.tiles[1][memory_category::control_code] = 2;
  CHECK(r.total(memory_category::stack) == 12);
  CHECK(r.total() == 15);
  CHECK(r.tiles[1].total() == 8);
  CHECK(r.tiles[1].code() == 2);
  for (std::size_t c = 0; c < memory_categories; ++c) CHECK_FALSE(name_of(static_cast<memory_category>(c)).empty());
}

TEST_CASE("an operation has the bytes of those within it, the first one those of all") {
  memory_report r;
  r.operations = {{name_from(""), 0, {1, 0, 0, 0}},
                  {name_from("inner"), 2, {10, 0, 0, 5}},
                  {name_from("outer"), 0, {100, 0, 0, 0}},
                  {name_from("other"), 0, {1'000, 0, 0, 0}}};
  CHECK(r.of_operation(0, memory_category::vertex_code) == 1'111);
  CHECK(r.of_operation(1, memory_category::vertex_code) == 10);
  CHECK(r.of_operation(2, memory_category::vertex_code) == 110);
  CHECK(r.of_operation(2, memory_category::control_code) == 5);
  CHECK(r.of_operation(0, memory_category::always_live) == 0);
}

TEST_CASE("the sentence names the tile, what is missing and what is largest") {
  memory_place place;
  place.chip = 2;
  place.tile = 17;
  place.categories = {memory_category::always_live, memory_category::stack, memory_category::gaps};
  place.category_bytes = {600'000, 40'000, 0};
  place.variables = {name_from("weights"), name_from("bias"), {}};
  place.variable_bytes = {590'000, 10'000, 0};
  CHECK(said(memory_fault{memory_wrong::out_of_memory, 640'000, 638'976, place}) ==
        "ipuflow: tile 17 of chip 2 is out of memory: it needs 640000 bytes and has 638976, 1024 too few; spread or "
        "shorten what is "
        "largest there: always-live variables 600000, stack 40000; variables 'weights' 590000, 'bias' 10000");
  place.remedy += "keep weights in streaming_memory";
  CHECK(said(memory_fault{memory_wrong::out_of_memory, 640'000, 638'976, place}) ==
        "ipuflow: tile 17 of chip 2 is out of memory: it needs 640000 bytes and has 638976, 1024 too few; keep weights in "
        "streaming_memory; largest there: always-live variables 600000, stack 40000; variables 'weights' 590000, 'bias' 10000");
  CHECK(said(memory_fault{memory_wrong::code_region, 400'000, 319'488, place}) ==
        "ipuflow: the code of tile 17 of chip 2 takes 400000 bytes but its code region has 319488; use fewer kinds of "
        "codelets there, "
        "or call functions instead of repeating steps");
}

}  // namespace memory_report_test
