// SPDX-License-Identifier: BSL-1.0
// V-Min keeps 2 * floor((P + 4) / 3) values and no more.
#include "../reference_greedy.hpp"

#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/v_min.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace v_min_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

static_assert(makespan(v_min({.ipus = 4, .micro_batches = 8})) == 59);
static_assert(accept<verify(v_min({.ipus = 64, .micro_batches = 1'000'000}))>());

TEST_CASE("valid everywhere, at its peak once the ramps are full") {
  for (std::size_t ipus = 1; ipus <= 8; ++ipus) {
    for (std::size_t count = 1; count <= 24; ++count) {
      const auto t = v_min({.ipus = ipus, .micro_batches = count});
      REQUIRE_FALSE(verify(t));
      REQUIRE_FALSE(verify_order(t));
      std::size_t most = 0;
      for (const std::size_t kept : peak(t)) most = kept > most ? kept : most;
      if (count >= ipus) CHECK(most == (ipus + 4) / 3 * 2);
      CHECK(most <= (ipus + 4) / 3 * 2);
    }
  }
}

TEST_CASE("by its name it is no longer than the authors' order, for few micro-batches too") {
  for (const reference::greedy_makespans& of : reference::greedy) {
    for (std::size_t count = 1; count <= of.v_min.size(); ++count) {
      v_min.by_name({.ipus = of.ipus, .micro_batches = count}, [&](const auto& t) {
        REQUIRE_FALSE(verify(t));
        REQUIRE_FALSE(verify_order(t));
        CHECK(makespan(t) <= of.v_min.begin()[count - 1]);
        for (const std::size_t kept : peak(t)) CHECK(kept <= (of.ipus + 4) / 3 * 2);
      });
    }
  }
}

TEST_CASE("so it is for many micro-batches, each of which takes the authors six more") {
  for (const reference::greedy_makespans& of : reference::greedy) {
    const std::size_t known = of.v_min.size();
    for (const std::size_t more : {1u, 5u, 40u, 1000u}) {
      v_min.by_name({.ipus = of.ipus, .micro_batches = known + more}, [&](const auto& t) {
        REQUIRE_FALSE(verify(t));
        CHECK(makespan(t) <= of.v_min.begin()[known - 1] + 6 * more);
        for (const std::size_t kept : peak(t)) CHECK(kept <= (of.ipus + 4) / 3 * 2);
      });
    }
  }
}

TEST_CASE("two IPUs have no idle cell in the body, for any number of micro-batches") {
  static_assert(accept<verify(v_min({.ipus = 2, .micro_batches = 1'000'000}))>());
  for (std::size_t count = 1; count <= 30; ++count) CHECK(makespan(v_min({.ipus = 2, .micro_batches = count})) == 6 * count + 3);
}

}  // namespace v_min_test
