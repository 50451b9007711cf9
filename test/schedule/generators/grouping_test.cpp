// SPDX-License-Identifier: BSL-1.0
// Groups are as even as can be, never smaller than the IPUs unless there is only one, larger ones first.
#include "reference_orders.hpp"

#include <ipuflow/schedule/generators/grouping.hpp>

#include <doctest/doctest.h>

namespace grouping_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

TEST_CASE("the parts are the groups") {
  for (std::size_t ipus = 1; ipus <= 9; ++ipus) {
    for (std::size_t count = 1; count <= 60; ++count) {
      const auto g = in_groups({.ipus = ipus, .stages = 2 * ipus, .micro_batches = count});
      std::vector<std::pair<std::size_t, std::size_t>> found;
      for (std::size_t i = 0; i < g.table.part_count; ++i) {
        const part& p = g.table.parts[i];
        CHECK(p.micro_batches % p.group == 0);
        for (std::size_t m = 0; m < p.micro_batches; m += p.group) found.emplace_back(p.first + m, p.group);
        CHECK((p.group >= ipus || count < ipus));
        CHECK(g.spacing[i] == static_cast<step_number>(p.group < ipus ? ipus : p.group));
      }
      CHECK(found == reference::groups(ipus, count));
    }
  }
}

TEST_CASE("one stage on each IPU has no groups: what follows from the micro-batches one by one") {
  const auto g = in_groups({.ipus = 4, .stages = 4, .micro_batches = 11});
  CHECK(g.table.part_count == 1);
  CHECK(g.table.parts[0].group == 1);
  CHECK(g.table.parts[0].micro_batches == 11);
  CHECK(g.spacing[0] == 1);
}

}  // namespace grouping_test
