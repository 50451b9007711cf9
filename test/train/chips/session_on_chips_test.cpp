// SPDX-License-Identifier: BSL-1.0
// What sessions on chips learn is tested in test/train/on_chips*_test.cpp; here, what they ask a run for.
#include <ipuflow/train/chips/session_on_chips.hpp>

#include "chips_check.hpp"

#include <cstddef>
#include <string>

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

/// Two micro-batches of stage 2, which has dropout, or of stage 1 change places.
TEST_CASE("A stage whose dropout counts micro-batches is refused forwards in another order; others may have any") {
  const auto swapped = [](std::size_t stage) {
    schedule::table t = schedule::tabulate(schedule::gpipe(test::small_network, micro_batches<4>));
    auto& row = t.rows[stage];
    for (schedule::placed& o : row)
      if (o.kind == schedule::pass::forward && (o.micro_batch == 1 || o.micro_batch == 2)) o.micro_batch = 3 - o.micro_batch;
    CHECK_FALSE(schedule::verify(t));
    return t;
  };
  const auto said = [&](std::size_t stage) -> std::string {
    try {
      const train::session s{test::small_network, swapped(stage), train::sgd{}, test::small_options(2), on::chips{.system = test::small_system(4)}};
      return "";
    } catch (const rejected<train::session_fault>& no) {
      return no.what();
    }
  };
  CHECK(said(2) ==
        "ipuflow: stage 2 runs forward with micro-batch 2 before micro-batch 1, but on chips its dropout counts them; let its forwards come in order");
  CHECK(said(1).empty());
}

TEST_CASE("On chips a stage without dropout may take micro-batches in another order than its neighbours, and learns the same") {
  const auto o = test::small_options(2);
  const auto plain = schedule::tabulate(schedule::gpipe(test::small_network, micro_batches<4>));
  schedule::table t = plain;
  for (const schedule::pass kind : {schedule::pass::forward, schedule::pass::backward})
    for (schedule::placed& of : t.rows[1])
      if (of.kind == kind && (of.micro_batch == 1 || of.micro_batch == 2)) of.micro_batch = 3 - of.micro_batch;
  const train::sgd rule{.rate = 1e-2f};
  train::session host{test::small_network, plain, rule, o};
  train::session tiles{test::small_network, t, rule, o, on::chips{.system = test::small_system(4)}};
  test::check_steps(host, tiles, 2, 2e-5);
}

}  // namespace session_on_chips_test
