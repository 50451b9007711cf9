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

}  // namespace reduce_test
