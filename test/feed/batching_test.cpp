// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/batching.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>

namespace batching_test {

using namespace ipuflow;
using namespace ipuflow::feed;

// The tutorial: 16 samples a mini-batch, 50 device iterations, 10,000 samples.
constexpr batch_sizes tutorial{.micro_batch = 16, .device_iterations = 50};
static_assert(samples_per_step(tutorial) == 800 && steps_per_epoch(10'000, tutorial) == 12);
constexpr batch_sizes replicated{.micro_batch = 16, .replicas = 2, .device_iterations = 50};
static_assert(global_batch(replicated) == 32 && samples_per_step(replicated) == 1600 &&
              steps_per_epoch(10'000, replicated) == 6);
static_assert(replica_batch({.micro_batch = 40, .accumulation = 10}) == 400);
static_assert(global_batch({.micro_batch = 2, .accumulation = 3, .replicas = 8, .input_group = 4}) == 12);
static_assert(accept<verify(tutorial)>() && accept<verify_steps(10'000, tutorial)>());

constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
static_assert(verify(batch_sizes{.accumulation = 4, .run_for = ipuflow::mode::inference}) ==
              batching_fault{batching_wrong::inference_accumulates, 4, 1});
static_assert(verify(batch_sizes{.replicas = 4, .input_group = 3}) ==
              batching_fault{batching_wrong::input_group_does_not_divide, 3, 4});
static_assert(verify(batch_sizes{.micro_batch = most, .device_iterations = 2}).kind == batching_wrong::overflow);
static_assert(verify(batch_sizes{.micro_batch = most}) == batching_fault{});
static_assert(verify(batch_sizes{.replicas = 2, .input_group = 2, .device_iterations = most / 2}) == batching_fault{});
static_assert(verify(batch_sizes{.replicas = 2, .input_group = 2, .device_iterations = most / 2 + 1}) ==
              batching_fault{batching_wrong::overflow, 2, most / 2 + 1});  // results are of each replica
static_assert(verify_steps(799, tutorial) == batching_fault{batching_wrong::no_whole_step, 800, 799});
static_assert(verify_steps(799, tutorial, tail::kept) == batching_fault{} && verify_steps(800, tutorial) == batching_fault{});

TEST_CASE("a step is the product of all sizes, and an epoch as many of them as fit") {
  for (std::size_t b = 1; b < 4; ++b) {
    for (std::size_t g = 1; g < 4; ++g) {
      for (std::size_t r = 1; r < 5; ++r) {
        for (std::size_t d = 1; d < 4; ++d) {
          const batch_sizes s{.micro_batch = b, .accumulation = g, .replicas = r, .device_iterations = d};
          const std::size_t step = samples_per_step(s);
          CHECK(step == b * g * r * d);
          std::size_t whole = 0;
          while ((whole + 1) * step <= 100) ++whole;
          CHECK(steps_per_epoch(100, s) == whole);
          CHECK(steps_per_epoch(100, s, tail::kept) == whole + (whole * step < 100 ? 1 : 0));
        }
      }
    }
  }
}

TEST_CASE("lengths of a loader over 100 samples") {
  CHECK(steps_per_epoch(100, batch_sizes{}) == 100);
  CHECK(steps_per_epoch(100, batch_sizes{.micro_batch = 4}) == 25);
  CHECK(steps_per_epoch(100, batch_sizes{.device_iterations = 4}) == 25);
  CHECK(steps_per_epoch(100, batch_sizes{.replicas = 4}) == 25);
  CHECK(steps_per_epoch(100, batch_sizes{.micro_batch = 2, .replicas = 2, .device_iterations = 5}) == 5);
}

TEST_CASE("what is wrong is said with its numbers") {
  const auto said = [](const batch_sizes& b) { return message(verify(b)); };
  CHECK(said({.micro_batch = 0}).view() ==
        "ipuflow: a micro-batch of 0 samples feeds nothing; give micro_batch at least 1");
  CHECK(said({.accumulation = 0}).view() ==
        "ipuflow: weights cannot be updated after 0 micro-batches; give accumulation at least 1");
  CHECK(said({.replicas = 0}).view() == "ipuflow: 0 replicas compute nothing; give replicas at least 1");
  CHECK(said({.device_iterations = 0}).view() ==
        "ipuflow: a step of 0 device iterations does nothing; give device_iterations at least 1");
  CHECK(said({.input_group = 0}).view() ==
        "ipuflow: an input cannot be shared by 0 replicas; give input_group at least 1");
  CHECK(said({.replicas = 2, .input_group = 4}).view() ==
        "ipuflow: an input is shared by 4 replicas of 2; give a smaller input_group");
  CHECK(said({.replicas = 4, .input_group = 3}).view() ==
        "ipuflow: groups of 3 replicas share an input, which does not divide the 4 replicas; give an input_group that "
        "does");
  CHECK(said({.accumulation = 8, .run_for = ipuflow::mode::inference}).view() ==
        "ipuflow: inference updates no weights but accumulates 8 micro-batches; set accumulation to 1 and use more "
        "device_iterations");
  CHECK(said({.micro_batch = most, .accumulation = 2}).view() ==
        "ipuflow: the samples of a step are more than a number of 64 bits can hold, 18446744073709551615 times 2 and "
        "more; give "
        "smaller sizes");
  CHECK(message(verify_steps(100, tutorial)).view() ==
        "ipuflow: the dataset has 100 samples, too few for one step of 800, and tail::dropped drops them all; take smaller "
        "steps or "
        "keep the last short one");
  CHECK_THROWS_WITH((void)steps_per_epoch(100, 0),
                    "ipuflow: an epoch cannot be cut into steps of 0 samples; take at least 1");
  CHECK_THROWS_AS((void)samples_per_step({.micro_batch = 0}), rejected<batching_fault>);
  CHECK_THROWS_AS((void)micro_batches_per_step({.accumulation = most, .device_iterations = 2}), rejected<batching_fault>);
}

}  // namespace batching_test
