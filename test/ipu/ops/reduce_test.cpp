// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/reduce.hpp>

#include "run_once.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace reduce_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE_TEMPLATE("sums, largest and smallest over any axis", Element, float, half) {
  for (const reduce_shape& s :
       {reduce_shape{1, 500, 3}, {24, 50, 3}, {200, 7, 1}, {1, 1, 90}, {3, 40, 100}, {1, 1000, 1}}) {
    for (const reduce_operation op : {reduce_operation::sum, reduce_operation::max, reduce_operation::min}) {
      operation_test<Element> t;
      const variable_id in = t.variable(s.outer * s.depth * s.inner);
      const variable_id out = t.variable(s.outer * s.inner);
      const std::vector<float> x = t.numbers(s.outer * s.depth * s.inner, 1);
      std::vector<float> wanted;
      for (std::size_t o = 0; o < s.outer; ++o) {
        for (std::size_t i = 0; i < s.inner; ++i) {
          float all = x[o * s.depth * s.inner + i];
          for (std::size_t d = 1; d < s.depth; ++d) {
            const float v = x[(o * s.depth + d) * s.inner + i];
            all = op == reduce_operation::sum ? all + v : (op == reduce_operation::max ? std::max(all, v) : std::min(all, v));
          }
          wanted.push_back(all);
        }
      }
      CHECK(t.result(reduce(t.g, op, s, in, out), {{in, x}}, out) == wanted);
    }
  }
}

TEST_CASE("sums are made where they are wanted, if that is one run of about equal length on each tile, within the options") {
  constexpr std::size_t results = 333;
  mapping turned = linear(results, 64), halves = linear(results, 64, 0, 4);
  for (mapped_interval& i : turned) i.tile = 63 - i.tile;
  for (mapped_interval& i : halves) i.tile /= 2;
  const struct {
    mapping out;
    plan_options options;
    bool in_place;
  } cases[] = {{linear(results, 64, 0, 4), {}, true},
               {linear(100, 64, 0, 2), {}, true},
               {linear(100, 64, 0, 4), {}, false},
               {linear(results, 64), {}, true},
               {linear(results, 60, 4, 4), {.first_tile = 4}, true},
               {linear(results, 64, 0, 4), {.first_tile = 4}, false},
               {linear(results, 64, 0, 4), {.tiles = 32}, false},
               {linear(results, 32), {}, false},
               {on_tile(results, 3), {}, false},
               {turned, {}, false},
               {halves, {}, false}};
  for (const auto& c : cases) {
    operation_test<half> t;
    const std::size_t count = c.out.back().end;
    const variable_id in = t.variable(5 * count);
    const variable_id out = t.g.add_variable<half>("out", count, c.out);
    const std::vector<float> x = t.numbers(5 * count, 1);
    std::vector<float> wanted(count);
    for (std::size_t i = 0; i < x.size(); ++i) wanted[i % count] += x[i];
    const step program = reduce(t.g, reduce_operation::sum, {1, 5, count}, in, out, c.options);
    const auto is_copied = [](const variable& v) { return v.name().view() == "reduce out"; };
    CHECK(std::none_of(t.g.variables().begin(), t.g.variables().end(), is_copied) == c.in_place);
    CHECK(t.result(program, {{in, x}}, out) == wanted);
  }
}

TEST_CASE("sums of numbers that stand together are made there: nothing but results is exchanged") {
  constexpr std::size_t results = 333, depth = 6;
  operation_test<float> t;
  mapping together = grid(1, results, 1, 64);
  for (mapped_interval& i : together) i.begin *= depth, i.end *= depth;
  const variable_id in = t.g.add_variable<float>("in", results * depth, together);
  const variable_id out = t.g.add_variable<float>("out", results, linear(results, 64, 0, 2));
  const step program = reduce(t.g, reduce_operation::sum, {results, depth, 1}, in, out);
  CHECK(cost(pod(small_chip(), 1), t.g, program).chips[0].moved.exchanged <= results * sizeof(float));
}

}  // namespace reduce_test
