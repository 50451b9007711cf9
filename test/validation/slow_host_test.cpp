// SPDX-License-Identifier: BSL-1.0
#include <mnist_pipeline/network.hpp>
#include <slow_host/two_stages.hpp>

#include <ipuflow/schedule.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/train.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace slow_host_test {

using namespace ipuflow;

run::chips_profile on_chips(const on::chips& where) {
  const auto timetable = schedule::grouped(mnist<float>, micro_batches<16>);
  return train::session{mnist<float>, timetable, train::sgd{}, {.micro_batch = 16, .device_iterations = 6}, where}.cost();
}

TEST_CASE("MNIST on four chips waits for a slow host as a queue between two stages does, for any depth") {
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
  const ipuflow::light_vector<seconds> uneven{{0}, {0}, {0}, {3.6 * step}};
  const auto even = on_chips({.prefetch = 8, .host_time = {0.9 * step}}).chips.total;
  CHECK(on_chips({.prefetch = 8, .host_times = uneven}).chips.total.value < even.value + even.value / 20);
  CHECK(on_chips({.prefetch = 1, .host_times = uneven}).chips.total.value > even.value + even.value / 5);
}

TEST_CASE("I/O tiles are one more place in that queue, and hide the host behind all passes of a micro-batch") {
  const run::chips_profile quick = on_chips({.prefetch = 1, .io_tiles = 32});
  const double step = time_of(quick.chips) / (6 * 16);
  for (const double host : {0.0, 0.5, 0.9, 1.0, 1.5, 2.0}) {
    for (const std::size_t ahead : {0u, 1u, 3u, 8u}) {
      const double simulated = time_of(on_chips({.prefetch = ahead, .host_time = {host * step}, .io_tiles = 32}).chips);
      CAPTURE(host);
      CAPTURE(ahead);
      CHECK(simulated == doctest::Approx(two_stages_by_io_tiles(quick, ahead, host * step)).epsilon(0.002));  // asked for: 2 %
    }
  }
  CHECK(quick.chips.total < on_chips({.prefetch = 1}).chips.total);  // the transfers themselves are hidden, too
}

}  // namespace slow_host_test
