// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/search/search_memory.hpp>

#include <doctest/doctest.h>

namespace search_memory_test {

using namespace ipuflow::schedule;

TEST_CASE("one record is for all, otherwise each stage and IPU has its own") {
  search_memory memory{{5, -2, -3}, 20};
  CHECK(memory.of(7).after_inputs == -2);
  CHECK(memory.limit(7) == 20);
  memory.stages.push_back({4, 0, -4});
  memory.limits.push_back(30);
  CHECK(memory.of(0) == activation_bytes{5, -2, -3});
  CHECK(memory.of(1) == activation_bytes{4, 0, -4});
  CHECK(memory.limit(1) == 30);
}

}  // namespace search_memory_test
