// SPDX-License-Identifier: BSL-1.0
// What sessions on chips learn is tested in test/train/on_chips*_test.cpp; here, what they ask a run for.
#include <ipuflow/train/chips/session_on_chips.hpp>

#include "chips_check.hpp"

#include <cstddef>
#include <string>
#include <string_view>

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

namespace {

/// Two micro-batches through two stages, whose passes are written as "F0 R0 B0": forward, recompute, backward; I and W are its halves.
constexpr auto two_stages = regroup(test::small_network, stage<"a", "b">().ipu<0>(), stage<"c", "d">().ipu<1>());
schedule::table of_rows(std::string_view first, std::string_view second) {
  schedule::table t = schedule::tabulate(schedule::gpipe(two_stages, micro_batches<2>));
  for (const std::size_t stage : {0u, 1u}) {
    t.rows[stage] = {};
    const std::string_view row = stage == 0 ? first : second;
    for (std::size_t i = 0; i < row.size(); i += 3) {
      const auto kind = static_cast<schedule::pass>(std::string_view{"FBIWR"}.find(row[i]));
      t.rows[stage].push_back({{kind, stage, static_cast<std::size_t>(row[i + 1] - '0')}, i / 3, false});
    }
  }
  CHECK_FALSE(schedule::verify(t));
  return t;
}

}  // namespace

TEST_CASE("What is made again of one micro-batch is not written over before its backward has read it") {
  const auto said = [](std::string_view second) -> std::string {
    const schedule::table t = of_rows("F0 F1 B0 B1", second);
    try {
      const train::session s{two_stages, t, train::sgd{}, test::small_options(2), on::chips{.system = test::small_system(2)}};
      return "";
    } catch (const rejected<run::chips_fault>& no) {
      return no.what();
    }
  };
  const std::string end = " of micro-batch 1 in stage 1 comes between the recomputation of micro-batch 0 and its backward, but its tiles hold one "
                          "micro-batch at a time; let the backward come first";
  CHECK(said("F0 F1 R0 R1 B0 B1") == "ipuflow: the recompute" + end);
  CHECK(said("F0 R0 F1 B0 R1 B1") == "ipuflow: the forward" + end);
  CHECK(said("F0 R0 I0 F1 W0 R1 B1") == "ipuflow: the forward" + end);
  CHECK(said("F0 F1 R0 I0 R1 I1 W0 W1") == "ipuflow: the recompute" + end);
}

TEST_CASE("A stage that makes values again, in passes of their own, may split its backwards if one is over before the next begins") {
  const auto o = test::small_options(2);
  const train::sgd rule{.rate = 1e-2f};
  for (const std::string_view second : {"F0 R0 I0 W0 F1 R1 B1", "F0 F1 R0 I0 W0 R1 I1 W1", "F0 R0 B0 F1 R1 I1 W1"}) {
    INFO(second);
    train::session host{two_stages, schedule::gpipe(two_stages, micro_batches<2>), rule, o};
    train::session tiles{two_stages, of_rows("F0 F1 B0 B1", second), rule, o, on::chips{.system = test::small_system(2)}};
    test::check_steps(host, tiles, 2, 2e-5);
  }
}

TEST_CASE("Stages that recompute under a schedule that splits backwards learn the same") {
  train::options o = test::small_options(2);
  const train::sgd rule{.rate = 1e-2f};
  const auto t = schedule::zb1p({.ipus = 2, .micro_batches = 6});
  train::session host{two_stages, t, rule, o};
  o.recompute = schedule::all_stages;
  train::session tiles{two_stages, t, rule, o, on::chips{.system = test::small_system(2)}};
  test::check_steps(host, tiles, 2, 2e-5);
}

}  // namespace session_on_chips_test
