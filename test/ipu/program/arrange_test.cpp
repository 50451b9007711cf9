// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/arrange.hpp>

#include "run_once.hpp"

#include <doctest/doctest.h>

#include <set>

namespace arrange_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("what is in place already is not copied; what is not, is") {
  operation_test<float> t;
  const variable_id a = t.g.add_variable<float>("a", 96, grid(12, 8, 4, 2));
  const variable_id b = t.g.add_variable<float>("b", 96, linear(96, 64));
  const arranged same = arrange_like(t.g, a, a);
  CHECK(same.variable.index == a.index);
  const arranged blocks = arrange(t.g, a, "same", grid(12, 8, 4, 2), {{.length = 96}});
  CHECK(blocks.variable.index == a.index);
  CHECK(blocks.bring.empty());
  const arranged moved = arrange_like(t.g, b, a);
  CHECK(moved.variable.index != b.index);
  const std::vector<float> values = t.numbers(96);
  CHECK(t.result(copy_all(t.g, b, a), {{b, values}}, a) == values);
}

TEST_CASE("vertices stand on every tile that holds a variable") {
  operation_test<float> t;
  const variable_id v = t.g.add_variable<float>("v", 6, {{0, 1, 3}, {1, 2, 4}, {2, 4, 9}, {4, 5, 3}, {5, 6, 10}});
  const codelet mark(
      name_from("mark"), 10_B,
      [](std::span<float> out) {
        for (float& x : out) x = static_cast<float>(out.size());
      },
      [](const architecture&, lengths) { return vertex_cost{}; });
  CHECK(t.result(on_each_tile(t.g, "mark", mark, v, {whole(v)}), {}, v) == std::vector<float>{2, 1, 2, 2, 2, 1});
}

TEST_CASE("parts cover, and useful numbers of parts give each size of the largest once") {
  for (std::size_t count = 1; count < 60; ++count) {
    std::set<std::size_t> sizes;
    for (const std::size_t parts : useful_parts(count, 40)) {
      CHECK(sizes.insert(divided_up(count, parts)).second);
      std::size_t sum = 0;
      for (std::size_t i = 0; i < parts; ++i) {
        CHECK(part_begin(count, parts, i) == sum);
        CHECK(part_size(count, parts, i) <= divided_up(count, parts));
        sum += part_size(count, parts, i);
      }
      CHECK(sum == count);
    }
    for (std::size_t parts = 1; parts <= std::min<std::size_t>(count, 40); ++parts)
      CHECK(sizes.count(divided_up(count, parts)) == 1);
  }
}

TEST_CASE("options say which tiles and how much memory") {
  const graph g(mk2, 2);
  CHECK(tiles_for(g, {}) == 1472);
  CHECK(tiles_for(g, {.first_tile = 1472 + 32}) == 1440);
  CHECK(tiles_for(g, {.tiles = 7}) == 7);
  CHECK(memory_for(g, {}) == 383'385_B);
  CHECK(memory_for(g, {.memory_proportion = 0.1}) == 63'897_B);
  CHECK_THROWS_AS((void)memory_for(g, {.memory_proportion = -1}), rejected<arithmetic_fault>);
  CHECK(summed_as(amp_precision::half_float, {}) == amp_precision::half_float);
  CHECK(summed_as(amp_precision::half_float, {.half_partials = true}) == amp_precision::half_half);
  CHECK(summed_as(amp_precision::float_float, {.half_partials = true}) == amp_precision::float_float);
}

}  // namespace arrange_test
