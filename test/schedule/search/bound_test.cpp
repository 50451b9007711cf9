// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/search/bound.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

namespace bound_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

search_bound bound_for(const grid& where, const costs& c, const search_memory& memory, bool split) {
  const auto of = instance_of(where, c, memory, split);
  const auto back = mirrored(of);
  search_heads heads{of};
  search_heads tails{back};
  heads.run(20);
  tails.run(20);
  return bound_of(of, heads, tails, 0);
}

TEST_CASE("with joint backwards and the memory of 1F1B the makespan of 1F1B is the least") {
  for (std::size_t ipus = 1; ipus <= 6; ++ipus) {
    const grid where{.ipus = ipus, .stages = ipus, .micro_batches = 3 * ipus};
    const auto bound = bound_for(where, costs{}, {{}, ipus}, false);
    CHECK(bound.least == static_cast<amount>(3 * (3 * ipus + ipus - 1)));
  }
}

TEST_CASE("an IPU that works all the time is limited by its work, others by a path") {
  CHECK(bound_for({.ipus = 1, .stages = 1, .micro_batches = 5}, {2, 3, 4}, {{}, 5}, true).least == 45);
  const grid line{.ipus = 4, .stages = 4, .micro_batches = 1};
  CHECK(bound_for(line, {2, 3, 4, 1}, {{}, 1}, true).least == 4 * 2 + 4 * 3 + 6 + 4);
  CHECK(bound_for(line, {2, 3, 4, 1}, {{}, 1}, true).kind == limited_by::path);
}

}  // namespace bound_test
