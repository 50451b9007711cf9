// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/ipu/ops/conv_pick.hpp>

#include "run_once.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace conv_pick_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("elements before an element are counted, one by one") {
  for (std::size_t rows = 1; rows < 7; ++rows) {
    for (std::size_t columns = 1; columns < 7; ++columns) {
      for (std::size_t stride = 1; stride < 4; ++stride) {
        const picked_planes planes{conv_shape{.rows = rows, .columns = columns, .stride = stride}};
        std::size_t before = 0;
        for (std::size_t e = 0; e < 3 * rows * columns; ++e) {
          CHECK(planes.before(e) == before);
          before += planes.has(e) ? 1u : 0u;
        }
        CHECK(planes.before(3 * rows * columns) == before);
      }
    }
  }
}

TEST_CASE_TEMPLATE("what is picked is put back where it was, and all else is zero, however the image is mapped", Element, float, half) {
  const conv_shape s{2, 3, 9, 7, 3, 1, 1, 2, 0, 1, amp_precision::half_half};
  const std::size_t all = 2 * 3 * 9 * 7;
  for (const mapping& map : {linear(all, 5), linear(all, 60), grid(9, 42, 3, 7), grid(42, 9, 4, 1)}) {
    operation_test<Element> t;
    const variable_id x = t.g.template add_variable<Element>("x", all, map), back = t.variable(all);
    const variable_id few = t.variable(2 * 3 * 5 * 4);
    const arranged picked = pick(t.g, s, x);
    const std::vector<float> numbers = t.numbers(all, 3);
    std::vector<float> wanted, wanted_back(all, 0);
    for (std::size_t e = 0; e < all; ++e) {
      if (e / 7 % 9 % 2 != 0 || e % 7 % 2 != 0) continue;
      wanted.push_back(numbers[e]);
      wanted_back[e] = numbers[e];
    }
    const step program = sequence(picked.bring, copy_all(t.g, picked.variable, few), put_back(t.g, s, picked.variable, x), copy_all(t.g, x, back));
    t.run(program, {{x, numbers}}, [&](engine& e) {
      CHECK(t.to_floats(e.read<Element>(few)) == wanted);
      CHECK(t.to_floats(e.read<Element>(back)) == wanted_back);
    });
  }
}

TEST_CASE("picking takes a cycle for each element that is picked, and a call; nothing leaves its tile") {
  graph g(mk2);
  const conv_shape s{1, 16, 64, 64, 16, 1, 1, 2, 0, 1, amp_precision::half_half};
  const variable_id x = g.add_variable<half>("x", 16 * 64 * 64, linear(16 * 64 * 64, 16));
  const profile p = cost(pod(mk2, 1), g, pick(g, s, x).bring);
  CHECK(p.chips[0][phase::exchange].value == 0);
  CHECK(p.chips[0][phase::compute].value == 288 + 6 * divided_up(32 * 32, 6));
}

}  // namespace conv_pick_test
