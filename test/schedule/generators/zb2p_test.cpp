// SPDX-License-Identifier: BSL-1.0
// ZB2P has no bubble between the first and the last operation of an IPU once it has micro-batches enough.
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/program_shape.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/zb2p.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace zb2p_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

static_assert(peak(zb2p({.ipus = 4, .micro_batches = 8}), until::backward_inputs) == per_stage(7, 5, 3, 1));

TEST_CASE("2(P-r)-1 forwards, then no gap; at most 2P values") {
  for (std::size_t ipus = 1; ipus <= 8; ++ipus) {
    for (std::size_t count = 1; count <= 24; ++count) {
      const auto t = zb2p({.ipus = ipus, .micro_batches = count});
      REQUIRE_FALSE(verify(t));
      REQUIRE_FALSE(verify_order(t));
      const counts warm = warm_up(t);
      const counts until_inputs = peak(t, until::backward_inputs);
      const counts until_weights = peak(t);
      for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
        const std::size_t wanted = 2 * (ipus - ipu) - 1;
        CHECK(warm[ipu] == (wanted < count ? wanted : count));
        CHECK(until_inputs[ipu] == warm[ipu]);
        CHECK(until_weights[ipu] <= 2 * ipus);
      }
      if (count < 2 * ipus - 1) continue;
      CHECK(span_bubble(t) == doctest::Approx(0.0));
      CHECK(makespan(t) == 3 * count + ipus - 1);
    }
  }
}

}  // namespace zb2p_test
