// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/device/outputs.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace outputs_test {

using namespace ipuflow;
using namespace ipuflow::feed;

constexpr batch_sizes ten{.device_iterations = 10, .run_for = mode::inference};
static_assert(results_per_step({}, ten) == 10, "inference returns all by default");
static_assert(results_per_step({.mode = output_mode::every_n, .period = 5}, ten) == 2);
static_assert(results_per_step({.mode = output_mode::final}, ten) == 1);
static_assert(results_per_step({.mode = output_mode::sum}, ten) == 1);
static_assert(results_per_step({}, {.device_iterations = 1000}) == 1, "training the last by default");
static_assert(results_per_step({.mode = output_mode::all}, {.device_iterations = 1000}) == 1000);
static_assert(results_per_step({.mode = output_mode::every_n, .period = 20}, {.device_iterations = 1000}) == 50);

TEST_CASE("what comes back is what is counted, for every mode, iteration, accumulation and replica") {
  for (const auto how :
       {output_mode::automatic, output_mode::all, output_mode::final, output_mode::sum, output_mode::every_n}) {
    for (std::size_t iterations = 1; iterations <= 6; ++iterations) {
      for (std::size_t accumulation = 1; accumulation <= 3; ++accumulation) {
        for (std::size_t period = 1; period <= 7; ++period) {
          for (const mode run_for : {mode::inference, mode::training}) {
            const outputs o{how, how == output_mode::every_n ? period : 0};
            const batch_sizes step{1, accumulation, 2, 1, iterations, run_for};
            const bool divides = iterations % period == 0;
            CHECK(static_cast<bool>(verify(o, step)) == (how == output_mode::every_n && !divides));
            if (verify(o, step)) continue;
            std::size_t returned = 0;
            for (std::size_t i = 0; i < micro_batches_per_step(step); ++i)
              returned += returned_after(o, step, i) ? step.replicas : 0;
            CHECK(returned == results_per_step(o, step));
            CHECK(returned_after(o, step, micro_batches_per_step(step) - 1));
          }
        }
      }
    }
  }
}

TEST_CASE("what cannot be counted says so") {
  CHECK(message(verify({}, {.device_iterations = 0})).view() ==
        "ipuflow: a step of no iterations, accumulation or replicas has no outputs; count each of them from 1");
  CHECK(message(verify({.mode = output_mode::every_n}, {})).view() ==
        "ipuflow: outputs of every_n need a period; say every how many micro-batches, from 1");
  CHECK(message(verify({.mode = output_mode::every_n, .period = 6}, {.device_iterations = 5})).view() ==
        "ipuflow: outputs come every 6 micro-batches, but a step has 5 device iterations; choose a period of at most "
        "that");
  CHECK(
      message(verify({.mode = output_mode::every_n, .period = 3}, {.device_iterations = 5})).view() ==
      "ipuflow: outputs come every 3 micro-batches, which does not divide the 5 device iterations of a step; choose a "
      "period that does");
}

TEST_CASE("a period for a mode that has none is refused") {
  for (const auto how : {output_mode::automatic, output_mode::all, output_mode::final, output_mode::sum}) {
    CHECK(message(verify({.mode = how, .period = 2}, {.device_iterations = 4})).view() ==
          "ipuflow: outputs have a period of 2 but their mode has none; ask for every_n, or leave the period out");
  }
  CHECK(!verify({.mode = output_mode::every_n, .period = 2}, {.device_iterations = 4}));
}

}  // namespace outputs_test
