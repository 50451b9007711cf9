// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/search/engine.hpp>
#include <ipuflow/schedule/search/improvement.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

namespace improvement_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;
using namespace ipuflow::test;

TEST_CASE("from one micro-batch after the other it comes to half the time, in the memory that there is") {
  const published_search& row = published_searches[0];
  auto of = instance_of(where_of(row), costs_of(row), memory_of(row), true);
  search_engine engine{of, 1};
  search_orders orders = engine.best;
  const amount before = engine.value.longest;
  search_improvement improvement{of};
  search_random random{1};
  bool asked = false;
  const auto stop = [&] { return asked = true, false; };
  const search_value value = improvement.run(orders, 30000, of.lanes[0].time / 2, 0, random, stop);
  CHECK(asked);
  CHECK(value.longest < before / 2);
  CHECK(search_times{of}.run(orders).longest == value.longest);
  for (std::size_t ipu = 0; ipu < of.ipus; ++ipu) {
    amount held = 0;
    for (std::size_t i = orders.first[ipu]; i < orders.first[ipu + 1]; ++i) {
      held += of.lanes[orders.lanes[i]].memory;
      CHECK(held <= of.limit[ipu]);
    }
  }
}

}  // namespace improvement_test
