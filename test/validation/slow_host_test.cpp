// SPDX-License-Identifier: BSL-1.0
#include <mnist_pipeline/network.hpp>
#include <slow_host/two_stages.hpp>

#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace slow_host_test {

using namespace ipuflow;

TEST_CASE("MNIST on four chips waits for a slow host as a queue between two stages does, for any depth") {
  const auto timetable = schedule::grouped(mnist<float>, micro_batches<16>);
  const auto on_chips = [&](const on::chips& where) {
    return train::session{mnist<float>, timetable, train::sgd{}, {.micro_batch = 16, .device_iterations = 6}, where}.cost();
  };
  const run::chips_profile quick = on_chips({.prefetch = 1});
  const double step = time_of(quick.chips) / (6 * 16);
  for (const double host : {0.0, 0.5, 1.0, 1.5, 2.0}) {
    for (const std::size_t ahead : {0u, 1u, 3u, 8u}) {
      const double simulated = time_of(on_chips({.prefetch = ahead, .host_time = {host * step}}).chips);
      CAPTURE(host);
      CAPTURE(ahead);
      CHECK(simulated == doctest::Approx(two_stages(quick, ahead, host * step)).epsilon(0.002));  // asked for: 2 %
    }
  }
  // Times that differ, the same sum: a deep queue makes up for them, a shallow one does not.
  const std::vector<seconds> uneven{{0}, {0}, {0}, {3.6 * step}};
  const auto even = on_chips({.prefetch = 8, .host_time = {0.9 * step}}).chips.total;
  CHECK(on_chips({.prefetch = 8, .host_times = uneven}).chips.total.value < even.value + even.value / 20);
  CHECK(on_chips({.prefetch = 1, .host_times = uneven}).chips.total.value > even.value + even.value / 5);
}

}  // namespace slow_host_test
