// SPDX-License-Identifier: BSL-1.0
// The parts of a path are as long as the path, and a closed form has those of the list.
#include "../every_schedule.hpp"
#include "../random_costs.hpp"

#include <ipuflow/schedule/analysis/critical_path.hpp>
#include <ipuflow/schedule/analysis/path_shares.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace path_shares_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

TEST_CASE("together they are the makespan, of walks and of closed forms alike") {
  reference::random_costs draw{1};
  for (const std::string_view name : schedule_names) {
    with_schedule(name, {.ipus = 4, .micro_batches = 160}, [&](const auto& t) {
      if (t.refused) return;
      INFO(std::string{name});
      const auto c = draw.of_stages<32>(t.where.stages);
      const times_and_path walked = impl::walked_path(t, c);
      const auto shares = shares_of(walked.path);
      std::size_t sum = 0;
      for (const path_share& share : shares) sum += share.time;
      CHECK(sum == walked.time.makespan);
      if constexpr (impl::runs_in_rounds<std::decay_t<decltype(t)>>) {
        times_and_path found;
        REQUIRE(impl::path_in_rounds(t, c, found));
        const auto others = shares_of(found.path);
        CHECK(std::vector(others.begin(), others.end()) == std::vector(shares.begin(), shares.end()));
      }
    });
  }
}

TEST_CASE("1F1B with a slow stage and a slow link, by hand") {
  costs_of_stages<2> c;
  c.stage.push_back({.forward = 1, .backward_inputs = 1, .backward_weights = 1, .communication = 7});
  c.stage.push_back({.forward = 100, .backward_inputs = 200, .backward_weights = 300, .communication = 7});
  const auto shares = shares_of(critical_path(one_f_one_b({.ipus = 2, .micro_batches = 1'000'000}), c));
  const auto of = [&](pass kind, std::size_t stage, bool message) {
    path_share found;
    for (const path_share& share : shares) {
      if (share.kind == kind && share.stage == stage && share.message == message) found = share;
    }
    return found;
  };
  CHECK(of(pass::forward, 1, false).time == 100 * 1'000'000);
  CHECK(of(pass::backward, 1, false).time == 500 * 1'000'000);
  CHECK(of(pass::forward, 0, true).time == 7);   // of the first micro-batch
  CHECK(of(pass::backward, 1, true).time == 7);  // of the last one
  CHECK(of(pass::backward, 0, false).times == 1);
  CHECK(shares.size() == 6);
}

}  // namespace path_shares_test
