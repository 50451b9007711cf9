// SPDX-License-Identifier: BSL-1.0
// Inference takes M + S - 1 steps on one stage an IPU, and on several the least that keeps the first IPU busy.
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/inference.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace inference_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

static_assert(accept<verify(schedule::inference({.ipus = 64, .micro_batches = 1'000'000}))>());

TEST_CASE("every operation once, idle P - 1") {
  for (std::size_t ipus = 1; ipus <= 8; ++ipus) {
    for (std::size_t chunks = 1; chunks <= 4; ++chunks) {
      for (std::size_t count = 1; count <= 24; ++count) {
        const auto t = schedule::inference({.ipus = ipus, .stages_per_ipu = chunks, .micro_batches = count});
        REQUIRE_FALSE(verify(t));
        REQUIRE_FALSE(verify_order(t));
        if (chunks == 1) CHECK(t.steps() == count + ipus - 1);
        if (count % ipus == 0) CHECK(makespan(t) == count * chunks + ipus - 1);
      }
    }
  }
}

}  // namespace inference_test
