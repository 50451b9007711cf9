// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/chips.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/planning/configured.hpp>

#include <doctest/doctest.h>

namespace configured_test {

using namespace ipuflow;

TEST_CASE("a configuration is said as the options and the back end of a session") {
  const plan::configuration c{.ipus = 3, .replicas = 2, .micro_batch = 5, .device_iterations = 7, .precision = plan::numbers::f16_16, .weights_off_chip = true,
                              .io_tiles = 32, .waits_for_neighbours = true};
  const train::options o = train::impl::options_of(c);
  CHECK(o.micro_batch == 5);
  CHECK(o.device_iterations == 7);
  CHECK(o.replicas == 2);
  CHECK(o.parameters == train::rounding::stochastic);
  const on::chips where = train::impl::chips_of(c, ipu::mk2);
  CHECK(where.system.chips >= 6);
  CHECK(where.io_tiles == 32);
  CHECK(where.sync == run::waits_for::neighbours);
  CHECK(where.weights == run::kept_in::streaming_memory);
  CHECK(where.activations == run::kept_in::as_scheduled);
  CHECK(train::impl::numbers_of(c).parameters == ipu::element_type::f16);
}

TEST_CASE("programs depend on choices of chips, and not on the host or on the number of steps") {
  const plan::configuration c{.ipus = 2, .micro_batch = 4, .accumulation = 100};
  const auto same = [&](auto change) {
    plan::configuration other = c;
    change(other);
    return train::impl::question_of<>(c, 0, c.memory_proportion) == train::impl::question_of<>(other, 0, other.memory_proportion);
  };
  CHECK(same([](auto& n) { n.accumulation = 200, n.device_iterations = 3, n.host_time = seconds{1}, n.call_time = seconds{1}; }));
  CHECK_FALSE(same([](auto& n) { n.accumulation = 7; }));
  CHECK_FALSE(same([](auto& n) { n.micro_batch = 5; }));
  CHECK_FALSE(same([](auto& n) { n.waits_for_neighbours = true; }));
  CHECK_FALSE(same([](auto& n) { n.shard_gradients = true; }));
  CHECK(train::impl::question_of<>(c, 0, 0.6) != train::impl::question_of<>(c, 1, 0.6));
  CHECK(train::impl::question_of<>(c, 0, 0.6) != train::impl::question_of<>(c, 0, ipu::memory_proportions{0.6, 0.3}));
}

}  // namespace configured_test
