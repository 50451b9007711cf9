// SPDX-License-Identifier: BSL-1.0
// Two 1F1B pipelines in opposite directions: D - 2 idle slots where a backward takes as long as a forward.
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/chimera.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace chimera_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

static_assert(accept<verify(chimera({.ipus = 64, .micro_batches = 1'000'000}))>());

TEST_CASE("2N + D - 2 slots, both flows of one pipe") {
  for (std::size_t ipus = 2; ipus <= 8; ipus += 2) {
    for (std::size_t count = 2; count <= 48; count += 2) {
      const auto t = chimera({.ipus = ipus, .micro_batches = count});
      REQUIRE_FALSE(verify(t));
      REQUIRE_FALSE(verify_order(t));
      if (count >= ipus) {
        CHECK(makespan(t, costs{1, 1, 0}) == 2 * count + ipus - 2);
        CHECK(t.steps() == 2 * count + ipus - 2);
      }
      const std::size_t units = count < ipus ? 1 : count / ipus;
      const std::size_t largest = (count / 2 + units - 1) / units;
      for (const std::size_t kept : peak(t)) CHECK(kept <= 2 * largest);
    }
  }
}

TEST_CASE("each stage is on two IPUs, one for each half of the micro-batches") {
  const auto t = chimera({.ipus = 4, .micro_batches = 8});
  for (std::size_t ipu = 0; ipu < 4; ++ipu) {
    for (auto w = t.walk(ipu); w; ++w) CHECK(w->stage == (w->micro_batch < 4 ? ipu : 3 - ipu));
  }
  CHECK(chimera({.ipus = 3, .micro_batches = 8}).refused.kind == schedule_wrong::odd_ipus);
  CHECK(chimera({.ipus = 4, .micro_batches = 7}).refused == schedule_fault{schedule_wrong::not_a_multiple, 7, 8});
}

}  // namespace chimera_test
