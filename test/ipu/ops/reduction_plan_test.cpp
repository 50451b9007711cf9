// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/reduction_plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

namespace reduction_plan_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("a share is whole panels: no part of the cut is larger, and one is as large to a panel") {
  for (const std::size_t size : {1u, 15u, 16u, 17u, 225u, 256u, 4096u}) {
    for (const std::size_t parts : {1u, 2u, 3u, 16u, 17u, 992u}) {
      std::size_t most = 0;
      for (std::size_t part = 0; part < parts; ++part) most = std::max(most, share_cut(size, parts).size(part));
      CHECK(largest_share(size, parts) >= most);
      CHECK(largest_share(size, parts) < most + panel_columns);
    }
  }
}

TEST_CASE("as many shares as partials: they are added up at once") {
  CHECK(plan_reduction(mk2, element_type::f32, 16 * 64, 64).together == 64);
  CHECK(plan_reduction(mk2, element_type::f32, 1 << 20, 1000).together == 1000);
  CHECK(plan_reduction(mk2, element_type::f32, 16, 2).together == 2);
}

TEST_CASE("many partials of a small block: roots first, and the time grows with the root") {
  const reduction_plan few = plan_reduction(mk2, element_type::f32, 16, 256), many = plan_reduction(mk2, element_type::f32, 16, 1024);
  CHECK(few.together == 16);
  CHECK(few.sums(256) == 16);
  CHECK(many.together == 32);
  CHECK(few.estimate < added_up(mk2, element_type::f32, 16, 256, 256));
  CHECK(many.estimate.value < 2 * few.estimate.value);
}

TEST_CASE("the plan is never slower than adding up all at once") {
  for (const element_type type : {element_type::f16, element_type::f32}) {
    for (std::size_t size = 1; size < 10'000; size = size * 3 + 1) {
      for (std::size_t parts = 1; parts <= 1472; parts = parts * 2 + 1) {
        const reduction_plan p = plan_reduction(mk2, type, size, parts);
        CHECK(p.estimate <= added_up(mk2, type, size, parts, parts));
        CHECK(p.together >= 1);
        CHECK(p.together <= parts);
      }
    }
  }
}

}  // namespace reduction_plan_test
