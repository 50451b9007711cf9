// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/device/outputs.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace outputs_test {

using namespace ipuflow;
using namespace ipuflow::feed;

static_assert(results_per_step({.device_iterations = 10}) == 10, "inference returns all by default");
static_assert(results_per_step({.mode = output_mode::every_n, .period = 5, .device_iterations = 10}) == 2);
static_assert(results_per_step({.mode = output_mode::final, .device_iterations = 10}) == 1);
static_assert(results_per_step({.mode = output_mode::sum, .device_iterations = 10}) == 1);
static_assert(results_per_step({.training = true, .device_iterations = 1000}) == 1, "training the last by default");
static_assert(results_per_step({.mode = output_mode::all, .training = true, .device_iterations = 1000}) == 1000);
static_assert(results_per_step({.mode = output_mode::every_n, .period = 20, .device_iterations = 1000}) == 50);

TEST_CASE("what comes back is what is counted, for every mode, iteration, accumulation and replica") {
  for (const auto mode :
       {output_mode::automatic, output_mode::all, output_mode::final, output_mode::sum, output_mode::every_n}) {
    for (std::size_t iterations = 1; iterations <= 6; ++iterations) {
      for (std::size_t accumulation = 1; accumulation <= 3; ++accumulation) {
        for (std::size_t period = 1; period <= 7; ++period) {
          for (const bool training : {false, true}) {
            const outputs o{mode, period, training, iterations, accumulation, 2};
            const bool divides = iterations % period == 0;
            CHECK(static_cast<bool>(verify(o)) == (mode == output_mode::every_n && !divides));
            if (verify(o)) continue;
            std::size_t returned = 0;
            for (std::size_t i = 0; i < o.micro_batches(); ++i) returned += returned_after(o, i) ? o.replicas : 0;
            CHECK(returned == results_per_step(o));
            CHECK(returned_after(o, o.micro_batches() - 1));
          }
        }
      }
    }
  }
}

TEST_CASE("what cannot be counted says so") {
  CHECK(message(verify({.device_iterations = 0})).view() ==
        "ipuflow: a step of no iterations, accumulation or replicas has no outputs; count each of them from 1");
  CHECK(message(verify({.mode = output_mode::every_n})).view() ==
        "ipuflow: outputs of every_n need a period; say every how many micro-batches, from 1");
  CHECK(message(verify({.mode = output_mode::every_n, .period = 6, .device_iterations = 5})).view() ==
        "ipuflow: outputs come every 6 micro-batches, but a step has 5 device iterations; choose a period of at most "
        "that");
  CHECK(
      message(verify({.mode = output_mode::every_n, .period = 3, .device_iterations = 5})).view() ==
      "ipuflow: outputs come every 3 micro-batches, which does not divide the 5 device iterations of a step; choose a "
      "period that does");
}

}  // namespace outputs_test
