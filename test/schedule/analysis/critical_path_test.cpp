// SPDX-License-Identifier: BSL-1.0
// The critical path is a chain from the start to the end of the run without slack.
#include "every_schedule.hpp"

#include <ipuflow/schedule/analysis/critical_path.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>

#include <doctest/doctest.h>

namespace critical_path_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

TEST_CASE("each operation of the path starts when the one before lets it") {
  for (const costs& c :
       {costs{}, costs{.forward = 3, .backward_inputs = 2, .backward_weights = 2, .communication = 1}}) {
    every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 9}, [&](auto, const setup&, const auto& t) {
      const auto path = critical_path(t, c);
      REQUIRE(path.size() > 0);
      CHECK(path[0].span.start == 0);
      CHECK(path.back().span.finish == makespan(t, c));
      for (std::size_t i = 1; i < path.size(); ++i) {
        const std::size_t gap = path[i].span.start - path[i - 1].span.finish;
        if (path[i].ipu == path[i - 1].ipu) CHECK(gap == 0);
        if (path[i].ipu != path[i - 1].ipu && t.goes != pace::in_turn) CHECK(gap == c.communication);
      }
    });
  }
}

TEST_CASE("of concurrent branches the path goes through the one that arrives last, whichever is asked first") {
  const costs c{.forward = 3, .backward_inputs = 2, .backward_weights = 2, .communication = 1};
  const auto check = [&](const auto& t) {
    REQUIRE_FALSE(t.refused);
    const auto path = critical_path(t, c);
    CHECK(path.back().span.finish == makespan(t, c));
    for (std::size_t i = 1; i < path.size(); ++i) {
      const std::size_t gap = path[i].span.start - path[i - 1].span.finish;
      CHECK(gap == (path[i].ipu == path[i - 1].ipu ? 0 : c.communication));
    }
  };
  // The branch on the IPU that goes on sends no message, so the other one arrives later.
  check(grouped(devices(0, on_ipus(1, 2), 2), micro_batches<6>));
  check(grouped(devices(0, on_ipus(1, 2), 1), micro_batches<6>));
}

}  // namespace critical_path_test
