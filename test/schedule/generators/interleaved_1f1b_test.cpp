// SPDX-License-Identifier: BSL-1.0
// Interleaved 1F1B is its definition, for any number of micro-batches, with the bubble of the divisible case.
#include "reference_orders.hpp"

#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/interleaved_1f1b.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace interleaved_1f1b_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

static_assert(accept<verify(interleaved_1f1b({.ipus = 64, .stages_per_ipu = 2, .micro_batches = 1'000'000}))>());
static_assert(accept<verify(interleaved_1f1b({.ipus = 4, .stages_per_ipu = 2, .micro_batches = 9}))>());
static_assert(makespan(interleaved_1f1b({.ipus = 4, .stages_per_ipu = 2, .micro_batches = 9})) == 63);

TEST_CASE("every order is the definition's, every makespan the closed form's") {
  for (std::size_t ipus = 1; ipus <= 8; ++ipus) {
    for (std::size_t chunks = 1; chunks <= 4; ++chunks) {
      for (std::size_t count = 1; count <= 24; ++count) {
        const auto t = interleaved_1f1b({.ipus = ipus, .stages_per_ipu = chunks, .micro_batches = count});
        REQUIRE_FALSE(verify(t));
        const counts kept_at_most = peak(t);
        const std::size_t group = reference::groups(ipus, count).front().second;
        for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
          CHECK(reference::order_of(t, ipu) == reference::interleaved_1f1b(ipu, ipus, chunks, count));
          const std::size_t kept = (chunks - 1) * group + 2 * (ipus - 1 - ipu) + 1;
          CHECK(kept_at_most[ipu] == (kept < count * chunks ? kept : count * chunks));
        }
        const std::size_t short_of = count < ipus ? ipus - count : 0;
        CHECK(makespan(t) == 3 * (count * chunks + ipus - 1 + (chunks - 1) * short_of));
      }
    }
  }
}

}  // namespace interleaved_1f1b_test
