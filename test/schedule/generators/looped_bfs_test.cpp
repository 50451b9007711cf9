// SPDX-License-Identifier: BSL-1.0
// Breadth first: chunk after chunk, and back with the micro-batches reversed.
#include "reference_orders.hpp"

#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/looped_bfs.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace looped_bfs_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

static_assert(accept<verify(looped_bfs({.ipus = 64, .stages_per_ipu = 4, .micro_batches = 1'000'000}))>());

TEST_CASE("every order is the definition's; idle as interleaved, peak everything") {
  for (std::size_t ipus = 1; ipus <= 8; ++ipus) {
    for (std::size_t chunks = 1; chunks <= 4; ++chunks) {
      for (std::size_t count = 1; count <= 24; ++count) {
        const auto t = looped_bfs({.ipus = ipus, .stages_per_ipu = chunks, .micro_batches = count});
        REQUIRE_FALSE(verify(t));
        const counts kept_at_most = peak(t);
        for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
          CHECK(reference::order_of(t, ipu) == reference::looped_bfs(ipu, ipus, chunks, count));
          CHECK(kept_at_most[ipu] == count * chunks);
        }
        const std::size_t short_of = count < ipus ? ipus - count : 0;
        CHECK(times_of(t).idle(0) == 3 * (ipus - 1 + (chunks - 1) * short_of));
      }
    }
  }
}

}  // namespace looped_bfs_test
