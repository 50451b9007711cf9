// SPDX-License-Identifier: BSL-1.0
// What has run before a step, counted by arithmetic, is what has when one looks.
#include "every_schedule.hpp"

#include <ipuflow/schedule/analysis/closed_counts.hpp>

#include <doctest/doctest.h>

namespace closed_counts_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

TEST_CASE("counts before every step") {
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 9}, [](auto, const setup&, const auto& t) {
    if constexpr (requires { closed_counts{t, until::last_use}; }) {
      if (t.where.directions() == 2) return;  // counts are of one direction there
      const closed_counts counted{t, until::last_use};
      for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
        for (std::size_t chunk = 0; chunk < t.where.chunks(ipu); ++chunk) {
          const std::size_t stage = t.where.stage_of(ipu, chunk);
          std::size_t started = 0, ended = 0;
          for (std::size_t step = 0; step <= t.steps(); ++step) {
            CHECK(counted.started(stage, static_cast<step_number>(step)) == started);
            if (t.run_for == mode::training) CHECK(counted.ended(stage, static_cast<step_number>(step)) == ended);
            for (const op& o : t.ops(ipu, step)) {
              started += o.stage == stage && o.kind == pass::forward ? 1u : 0u;
              ended += o.stage == stage && ends(until::last_use, o.kind) ? 1u : 0u;
            }
          }
        }
      }
    }
  });
}

}  // namespace closed_counts_test
