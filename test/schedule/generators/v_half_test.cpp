// SPDX-License-Identifier: BSL-1.0
// V-Half keeps 2 * floor((P + 2) / 2) values and no more.
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/v_half.hpp>
#include <ipuflow/schedule/generators/v_min.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace v_half_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

static_assert(makespan(v_half({.ipus = 4, .micro_batches = 8})) == 53);
static_assert(accept<verify(v_half({.ipus = 4, .micro_batches = 8}))>());

TEST_CASE("valid everywhere, within its memory, at its peak, and no longer than V-Min") {
  for (std::size_t ipus = 1; ipus <= 8; ++ipus) {
    for (std::size_t count = 1; count <= 24; ++count) {
      const setup asked{.ipus = ipus, .micro_batches = count};
      const auto t = v_half(asked);
      REQUIRE_FALSE(verify(t));
      std::size_t most = 0;
      for (const std::size_t kept : peak(t)) most = kept > most ? kept : most;
      CHECK(most <= (ipus + 2) / 2 * 2);
      if (count >= ipus) CHECK(most == (ipus + 2) / 2 * 2);
      if (count >= 2 * ipus) CHECK(makespan(t) <= makespan(v_min(asked)));
    }
  }
}

TEST_CASE("with the positions that the published block has, an odd number of IPUs is as fast as this") {
  CHECK(makespan(v_half({.ipus = 7, .micro_batches = 12})) == 6 * 12 + 17);
  CHECK(makespan(v_half({.ipus = 7, .micro_batches = 24})) == 6 * 24 + 17);
}

TEST_CASE("more micro-batches only add to the steady state") {
  for (const std::size_t ipus : {2u, 4u, 8u}) {
    const std::size_t idle = makespan(v_half({.ipus = ipus, .micro_batches = 50})) - 300;
    CHECK(makespan(v_half({.ipus = ipus, .micro_batches = 400})) <= 2400 + idle);
  }
}

}  // namespace v_half_test
