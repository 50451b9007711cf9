// SPDX-License-Identifier: BSL-1.0
// The handcrafted V: its order, no bubble but the skew, the memory of 1F1B.
#include "../reference_greedy.hpp"
#include "reference_orders.hpp"

#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/zbv.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace zbv_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

static_assert(makespan(zbv({.ipus = 4, .micro_batches = 8})) == 51);
static_assert(makespan(zbv({.ipus = 4, .micro_batches = 4})) == 24 + 6);
static_assert(accept<verify(zbv({.ipus = 4, .micro_batches = 1'000'000}))>());

TEST_CASE("phases have a beat for each operation and none to spare, once the pipeline fills") {
  for (std::size_t ipus = 1; ipus <= 8; ++ipus) {
    const grid where = zbv({.ipus = ipus, .micro_batches = 2 * ipus + 3}).where;
    for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
      std::size_t beats = 0;
      for (const program_phase& phase : zbv({.ipus = ipus, .micro_batches = 2 * ipus + 3}).phases(where, ipu)) {
        beats += phase.times * phase.beats.size();
      }
      CHECK(beats == 6 * where.micro_batches);
    }
  }
}

TEST_CASE("every order is the published loop's") {
  for (std::size_t ipus = 1; ipus <= 8; ++ipus) {
    for (std::size_t count = 1; count <= 24; ++count) {
      const auto t = zbv({.ipus = ipus, .micro_batches = count});
      REQUIRE_FALSE(verify_order(t));
      for (std::size_t ipu = 0; ipu < ipus; ++ipu)
        CHECK(reference::order_of(t, ipu) == reference::zbv(ipu, ipus, count));
      if (count < 2 * ipus - 1) continue;
      CHECK(makespan(t) == 6 * count + ipus - 1);
      CHECK(span_bubble(t) == doctest::Approx(0.0));
      for (const std::size_t kept : peak(t)) CHECK(kept == 2 * ipus);
    }
  }
}

TEST_CASE("by its name it is no longer than the authors' order, for few micro-batches too") {
  for (const reference::greedy_makespans& of : reference::greedy) {
    for (std::size_t count = 1; count <= of.zbv.size(); ++count) {
      zbv.by_name({.ipus = of.ipus, .micro_batches = count}, [&](const auto& t) {
        REQUIRE_FALSE(verify(t));
        REQUIRE_FALSE(verify_order(t));
        CHECK(makespan(t) <= of.zbv.begin()[count - 1]);
        for (const std::size_t kept : peak(t)) CHECK(kept <= 2 * of.ipus);
      });
    }
  }
}

TEST_CASE("its name is the published order where the pipeline fills") {
  for (std::size_t ipus = 1; ipus <= 8; ++ipus) {
    zbv.by_name({.ipus = ipus, .micro_batches = 2 * ipus - 1}, [&](const auto& t) {
      for (std::size_t ipu = 0; ipu < ipus; ++ipu) CHECK(reference::order_of(t, ipu) == reference::zbv(ipu, ipus, 2 * ipus - 1));
    });
  }
  zbv.by_name({.ipus = 4, .micro_batches = 4}, [](const auto& t) { CHECK(makespan(t) == 27); });
  zbv.by_name({.ipus = 8, .micro_batches = 8}, [](const auto& t) { CHECK(makespan(t) == 55); });
}

}  // namespace zbv_test
