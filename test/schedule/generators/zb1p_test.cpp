// SPDX-License-Identifier: BSL-1.0
// ZB1P is its definition, with the bubble and the memory that its paper states.
#include "reference_orders.hpp"

#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/schedule/generators/zb1p.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace zb1p_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

static_assert(accept<verify(zb1p({.ipus = 64, .micro_batches = 1'000'000}))>());
static_assert(peak(zb1p({.ipus = 4, .micro_batches = 8})) == per_stage(4, 4, 4, 4));
static_assert(peak(zb1p({.ipus = 4, .micro_batches = 8}), until::backward_inputs) == per_stage(4, 3, 2, 1));

TEST_CASE("with groups of at least the IPUs every order is the definition's") {
  for (std::size_t ipus = 1; ipus <= 8; ++ipus) {
    for (std::size_t chunks = 1; chunks <= 4; ++chunks) {
      for (std::size_t count = 1; count <= 24; ++count) {
        const auto t = zb1p({.ipus = ipus, .stages_per_ipu = chunks, .micro_batches = count});
        REQUIRE_FALSE(verify(t));
        REQUIRE_FALSE(verify_order(t));
        if (count < ipus) continue;
        const counts kept_at_most = peak(t);
        const counts kept_until_inputs = peak(t, until::backward_inputs);
        const std::size_t group = reference::groups(ipus, count).front().second;
        for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
          CHECK(reference::order_of(t, ipu) == reference::zb1p(ipu, ipus, chunks, count));
          const std::size_t kept = (chunks - 1) * group + ipus;
          const std::size_t all = count * chunks;
          CHECK(kept_at_most[ipu] == (kept < all ? kept : all));
          CHECK(kept_until_inputs[ipu] == (kept - ipu < all ? kept - ipu : all));
        }
        CHECK(makespan(t) == 3 * count * chunks + (ipus - 1));
        CHECK(makespan(t, costs{2, 3, 1}) == 6 * count * chunks + 4 * (ipus - 1));
      }
    }
  }
}

TEST_CASE("with fewer micro-batches than IPUs every order is the definition's, too") {
  for (std::size_t ipus = 2; ipus <= 8; ++ipus) {
    for (std::size_t chunks = 1; chunks <= 4; ++chunks) {
      for (std::size_t count = 1; count < ipus; ++count) {
        const setup asked{.ipus = ipus, .stages_per_ipu = chunks, .micro_batches = count};
        const auto by_name = [&](const auto& t) {
          REQUIRE_FALSE(verify(t));
          for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
            CHECK(reference::order_of(t, ipu) == reference::zb1p(ipu, ipus, chunks, count));
          }
          CHECK(makespan(t) <= makespan(zb1p(asked)));
          CHECK(peak(t) == peak(zb1p(asked)));
        };
        with_schedule("zb1p", asked, by_name);
      }
    }
  }
}

}  // namespace zb1p_test
