// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/back_end.hpp>

#include <ipuflow/run/trace.hpp>

#include "small_network.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <stop_token>

namespace threads_back_end_test {

using namespace ipuflow;

TEST_CASE("Count, stop and events are heeded") {
  constexpr auto t = schedule::grouped(test::small_network, micro_batches<8>);
  std::stop_source source;
  run::trace events{1000};
  train::session session{test::small_network, t, train::adamw{}, test::small_options(),
                         on::threads{.count = 2, .stop = source.get_token(), .events = &events}};
  const test::made_up data{session.samples_per_step()};
  CHECK(session.threads() == 2);
  session(data);
  CHECK(events.events().size() == 2 * schedule::operations(t));  // two device iterations
  source.request_stop();
  CHECK_THROWS_WITH(session(data), doctest::Contains("the step was stopped"));
}

}  // namespace threads_back_end_test
