// SPDX-License-Identifier: BSL-1.0
// GPipe is all forwards, then all backwards.
#include "reference_orders.hpp"

#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/gpipe.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace gpipe_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

static_assert(in_flight(gpipe({.ipus = 3, .micro_batches = 3})) == per_stage(3, 3, 3));
static_assert(accept<verify(gpipe({.ipus = 64, .micro_batches = 1'000'000}))>());

TEST_CASE("all forwards, then all backwards; idle (P-1)(F+B)") {
  for (std::size_t ipus = 1; ipus <= 8; ++ipus) {
    for (std::size_t count = 1; count <= 24; ++count) {
      const auto t = gpipe({.ipus = ipus, .micro_batches = count});
      for (std::size_t ipu = 0; ipu < ipus; ++ipu) CHECK(reference::order_of(t, ipu) == reference::gpipe(ipu, count));
      CHECK(times_of(t).idle(0) == 3 * (ipus - 1));
      CHECK(times_of(t, costs{1, 3, 2}).idle(ipus - 1) == 6 * (ipus - 1));
    }
  }
}

}  // namespace gpipe_test
