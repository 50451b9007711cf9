// SPDX-License-Identifier: BSL-1.0
// DualPipe and DualPipeV are their eight published steps, with the bubble and the memory of their table.
#include "reference_orders.hpp"

#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/dualpipe.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace dualpipe_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

static_assert(accept<verify(dualpipe({.ipus = 8, .micro_batches = 1'000'000}))>());
static_assert(accept<verify(dualpipev({.ipus = 4, .micro_batches = 1'000'000}))>());

TEST_CASE("DualPipe") {
  for (std::size_t ipus = 2; ipus <= 8; ipus += 2) {
    for (std::size_t count = 2 * ipus; count <= 40; count += 2) {
      const auto t = dualpipe({.ipus = ipus, .micro_batches = count});
      REQUIRE_FALSE(verify_order(t));
      for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
        CHECK(reference::order_of(t, ipu) == reference::dualpipe(ipu, ipus, count));
        CHECK(times_of(t).idle(ipu) == 2 * (ipus / 2 - 1));
        CHECK(peak(t)[ipu] == ipus + 1);
      }
    }
  }
}

TEST_CASE("DualPipeV") {
  for (std::size_t ipus = 1; ipus <= 8; ++ipus) {
    for (std::size_t count = 2 * ipus; count <= 24; ++count) {
      const auto t = dualpipev({.ipus = ipus, .micro_batches = count});
      REQUIRE_FALSE(verify_order(t));
      for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
        CHECK(reference::order_of(t, ipu) == reference::dualpipev(ipu, ipus, count));
        CHECK(times_of(t).idle(ipu) == 2 * (ipus - 1));
        CHECK(peak(t)[ipu] == 2 * ipus + 1);
      }
    }
  }
}

TEST_CASE("too few micro-batches, odd numbers of them or of IPUs") {
  CHECK(dualpipe({.ipus = 4, .micro_batches = 6}).refused ==
        schedule_fault{schedule_wrong::too_few_micro_batches, 6, 8});
  CHECK(dualpipe({.ipus = 4, .micro_batches = 9}).refused == schedule_fault{schedule_wrong::not_a_multiple, 9, 10});
  CHECK(dualpipe({.ipus = 5, .micro_batches = 10}).refused == schedule_fault{schedule_wrong::odd_ipus, 5, 6});
  CHECK(dualpipev({.ipus = 4, .micro_batches = 7}).refused ==
        schedule_fault{schedule_wrong::too_few_micro_batches, 7, 8});
}

}  // namespace dualpipe_test
