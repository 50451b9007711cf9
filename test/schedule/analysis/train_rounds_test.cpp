// SPDX-License-Identifier: BSL-1.0
// Trains are run as a walk runs them, with what repeats left out; two operations of an IPU at one step are noticed.
#include "../every_schedule.hpp"
#include "../random_costs.hpp"

#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/analysis/train_rounds.hpp>

#include <doctest/doctest.h>

#include <string>

namespace train_rounds_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

TEST_CASE("equal to the walk, with groups and without, from few micro-batches to many") {
  reference::random_costs draw{9};
  std::size_t left_out = 0;
  for (const std::string_view name : {"gpipe", "1f1b", "eager_1f1b", "interleaved_1f1b", "zb1p", "zb2p", "v_min", "chimera", "inference", "looped_bfs"}) {
    for (std::size_t ipus = 1; ipus <= 9; ++ipus) {
      for (const std::size_t count : {1u, 2u, 6u, 10u, 34u, 60u, 300u, 1000u}) {
        if (name == "chimera" && ipus % 2 == 1) continue;
        with_schedule(name, {.ipus = ipus, .micro_batches = count}, [&](const auto& t) {
          if constexpr (requires { train_lines{t, costs{}}; }) {
            const auto c = draw.of_stages<32>(t.where.stages);
            const train_lines lines{t, c};
            if (!lines.fit()) return;
            INFO(std::string{name}, " ", ipus, " ", count);
            train_rounds<> rounds{lines};
            REQUIRE(steady_run{rounds, rounds}.run());
            REQUIRE_FALSE(rounds.clash());
            times walked;
            for (std::size_t i = 0; i < ipus; ++i) walked.ipu.push_back({});
            CHECK_FALSE(walked_times(every::by_walking(t), c, walked));
            for (std::size_t i = 0; i < ipus; ++i) {
              CHECK(rounds.first(i) == walked.ipu[i].first);
              CHECK(rounds.last(i) == walked.ipu[i].last);
            }
            ++left_out;
          }
        });
      }
    }
  }
  CHECK(left_out > 400);
}

TEST_CASE("an IPU that is to run two operations at one step is no train") {
  auto t = one_f_one_b({.ipus = 2, .micro_batches = 30});
  t[pass::backward].at += 1;  // where the next forward is
  const train_lines lines{t, costs{}};
  REQUIRE(lines.fit());
  train_rounds<> rounds{lines};
  static_cast<void>(steady_run{rounds, rounds}.run());
  CHECK(rounds.clash());
}

}  // namespace train_rounds_test
