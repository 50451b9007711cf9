// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/options.hpp>

#include <doctest/doctest.h>

namespace options_test {

using namespace ipuflow;
using namespace ipuflow::run;

TEST_CASE("a kind of tensor is where the options say, else where the schedule says") {
  using enum kept_in;
  using schedule::liveness;
  chips_options here{.weights = streaming_memory};
  impl::choose_memories(here, liveness::always_live);
  CHECK(here.weights == streaming_memory);
  CHECK(here.activations == tiles);
  CHECK(here.accumulators == tiles);
  chips_options away{.weights = tiles};
  impl::choose_memories(away, liveness::off_chip_after_each_phase);
  CHECK(away.weights == tiles);
  CHECK(away.activations == streaming_memory);
  CHECK(away.optimiser_state == streaming_memory);
  CHECK(away.accumulators == streaming_memory);
}

}  // namespace options_test
