// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/search/engine.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

namespace engine_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;
using namespace ipuflow::test;

TEST_CASE("a search that goes on never has less, and ends at its iterations or at its bound") {
  const published_search& row = published_searches[1];
  search_engine engine{instance_of(where_of(row), costs_of(row), memory_of(row), true), 3};
  CHECK(engine.value.longest < endless);  // one micro-batch after the other
  amount last = engine.value.longest;
  for (std::size_t iterations = 1; iterations <= 256; iterations *= 4) {
    engine.run(iterations, [] { return false; });
    CHECK(engine.value.longest <= last);
    CHECK((engine.spent <= iterations || !engine.above_bound()));
    CHECK(engine.bound.least <= engine.value.longest);
    last = engine.value.longest;
  }
}

}  // namespace engine_test
