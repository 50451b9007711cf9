// SPDX-License-Identifier: BSL-1.0
// What sessions on chips learn is tested in test/train/on_chips*_test.cpp; here, what they ask a run for.
#include <ipuflow/train/chips/session_on_chips.hpp>

#include "chips_check.hpp"

namespace session_on_chips_test {

using namespace ipuflow;

TEST_CASE("A run is asked for what the session's options say and for where things stand") {
  const auto t = schedule::grouped(test::small_network, micro_batches<8>);
  const train::options o{.micro_batch = 3, .device_iterations = 5, .replicas = 2, .scale = {.factor = 64}, .seed = 9};
  const run::chips_options asked = train::impl::run_options_of(t, o, on::chips{.prefetch = 7, .io_tiles = 4});
  CHECK(asked.samples == 3);
  CHECK(asked.runs == 5);
  CHECK(asked.replicas == 2);
  CHECK(asked.seed == 9);
  CHECK(asked.prefetch == 7);
  CHECK(asked.io_tiles == 4);
  CHECK(asked.outputs == feed::output_mode::final);
  CHECK(asked.loss_gradient == 64.0f / (3 * 8 * 2));
}

TEST_CASE("Where a run cannot leave out what is not wanted, the host does") {
  const auto t = schedule::grouped(test::small_network, micro_batches<8>);
  const train::options every_third{.device_iterations = 3, .outputs = feed::output_mode::every_n, .output_period = 3};
  CHECK(train::impl::run_options_of(t, every_third, {}).outputs == feed::output_mode::all);
  const train::options every_second{.device_iterations = 2, .outputs = feed::output_mode::every_n, .output_period = 2};
  CHECK(train::impl::run_options_of(t, every_second, {}).outputs == feed::output_mode::every_n);
}

}  // namespace session_on_chips_test
