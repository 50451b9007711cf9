// SPDX-License-Identifier: BSL-1.0
// Held through sessions: test/train/feeds_test.cpp reads along in every mode, test/train/on_chips_test.cpp reads after steps.
#include "../../ipu/said.hpp"
#include "../chips_check.hpp"

#include <ipuflow/train/chips/result_streams.hpp>

#include <cstddef>
#include <vector>

namespace result_streams_test {

using namespace ipuflow;

TEST_CASE("rows of two replicas come in their order, whichever chip is first") {
  const auto timetable = schedule::grouped(test::small_network, micro_batches<8>);
  train::session session{test::small_network, timetable, train::sgd{},
                         {.micro_batch = 3, .replicas = 2, .outputs = feed::output_mode::all}, on::chips{}};
  const test::made_up samples{session.samples_per_step()};
  std::vector<float> along;
  int steps = 1;
  const auto once = [&] { return steps-- > 0 ? std::optional{samples} : std::nullopt; };
  session.run(once, [&](const std::vector<float>&, float loss) { along.push_back(loss); });
  CHECK(along.size() == 16);
  // Replicas have samples of their own, so no two rows are the same, and the order shows.
  train::session again{test::small_network, timetable, train::sgd{},
                       {.micro_batch = 3, .replicas = 2, .outputs = feed::output_mode::all}, on::chips{}};
  CHECK(along == again(samples)[1].values);
}

}  // namespace result_streams_test
