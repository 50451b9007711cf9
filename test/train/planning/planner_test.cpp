// SPDX-License-Identifier: BSL-1.0
#include "small_network.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/plan/predict/advice.hpp>
#include <ipuflow/plan/predict/best.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/planning/planner.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace planner_test {

using namespace planning_test;

namespace {

train::planner a_planner() { return {ipu::mk2, {train::planned(network, plan::numbers::f32_32, train::adamw{})}}; }

/// A plan is held to the run of all chips that the engine counts: time, bytes of each chip's fullest tile, bytes from the host.
void check(train::planner& planner, const plan::configuration& c, double within = 0.05) {
  CAPTURE(c.schedule);
  CAPTURE(c.accumulation);
  CAPTURE(c.replicas);
  const plan::prediction guess = planner(c);
  const ipu::profile counted = planner.counted(c).chips;
  CHECK(std::abs(static_cast<double>(guess.total.value) / static_cast<double>(counted.total.value) - 1) < within);
  for (std::size_t chip = 0; chip < c.ipus; ++chip) {
    std::size_t most = 0;
    for (std::size_t t = 0; t < counted.tiles_per_chip; ++t) most = std::max(most, counted.memory.tiles[chip * counted.tiles_per_chip + t].total());
    CHECK(std::abs(static_cast<double>(guess.memory[chip].bytes.total()) / static_cast<double>(most) - 1) < 0.05);
    CHECK(guess.from_host[chip] == counted.chips[chip].moved.host_in);
    CHECK(guess.to_host[chip] == counted.chips[chip].moved.host_out);
  }
}

}  // namespace

TEST_CASE("plans agree with counted runs for the schedules of the catalogue") {
  train::planner planner = a_planner();
  check(planner, {.micro_batch = 2, .accumulation = 5});
  for (const char* const name : {"1f1b", "eager_1f1b", "popart", "grouped", "interleaved", "gpipe", "sequential"}) {
    check(planner, {.cuts = {2, 4}, .schedule = name, .ipus = 3, .micro_batch = 2, .accumulation = 6});
    check(planner, {.cuts = {2, 4}, .schedule = name, .ipus = 3, .micro_batch = 2, .accumulation = 60});
  }
  // Of two rings whose moves alternate a plan knows the mean, and a step lasts as long as the chip that has both
  check(planner, {.cuts = {2, 4}, .schedule = "zb1p", .ipus = 3, .micro_batch = 2, .accumulation = 60}, 0.06);
  check(planner, {.cuts = {1, 2, 4}, .schedule = "interleaved_1f1b", .ipus = 2, .micro_batch = 2, .accumulation = 24});
}

TEST_CASE("plans agree with counted runs for what may be chosen beside the schedule") {
  train::planner planner = a_planner();
  const plan::configuration plain{.cuts = {3}, .ipus = 2, .micro_batch = 4, .accumulation = 16};
  const auto with = [&](auto change) {
    plan::configuration c = plain;
    change(c);
    check(planner, c);
  };
  with([](auto& c) { c.recompute = true; });
  with([](auto& c) { c.device_iterations = 3; });
  with([](auto& c) { c.replicas = 4; });
  with([](auto& c) { c.replicas = 4, c.shard_optimiser = true; });
  with([](auto& c) { c.optimiser_off_chip = true; });
  with([](auto& c) { c.io_tiles = 32; });
  with([](auto& c) { c.call_time = seconds{1e-3}; });
  with([](auto& c) { c.host_time = seconds{5e-3}; });
}

TEST_CASE("chips that are alike are counted once") {
  train::planner planner = a_planner();
  (void)planner({.cuts = {1, 2, 3, 4, 5}, .ipus = 6, .micro_batch = 2, .accumulation = 24});
  const std::size_t first = planner.counted_chips();
  CHECK(first <= 5);  // the first, two or three in the middle with and without waiting gradients, the last
  (void)planner({.cuts = {1, 2, 3, 4, 5}, .ipus = 6, .micro_batch = 2, .accumulation = 2400});
  (void)planner({.cuts = {1, 2, 3, 4, 5}, .ipus = 6, .micro_batch = 2, .accumulation = 24, .device_iterations = 7});
  CHECK(planner.counted_chips() == first);
}

TEST_CASE("a planner advises, and finds what fits best") {
  train::planner planner = a_planner();
  const plan::configuration c{.micro_batch = 2, .accumulation = 8};
  for (const plan::advice& a : plan::advise(planner, c, {.keeps_numbers = true})) {
    CHECK(a.fits);
    CHECK(a.then.samples_per_second() > planner(c).samples_per_second());
  }
  const plan::best_found found = plan::best(
      planner, [&](const plan::configuration& of) { return planner.balanced(of); },
      {.chips = 2, .batch = 16, .ipus = {1, 2}, .micro_batches = {2, 4}, .recompute = {false}});
  REQUIRE(!found.best.empty());
  CHECK(found.planned == 4);
  CHECK(found.best.front().then.samples_per_second() >= found.best.back().then.samples_per_second());
}

TEST_CASE("what cannot be planned is refused with a sentence") {
  train::planner planner = a_planner();
  const auto sentence_of = [&](const plan::configuration& c) {
    try {
      (void)planner(c);
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(sentence_of({.precision = plan::numbers::f16_16}) ==
        "ipuflow: the planner was given no network of precision 16.16; give train::planned(network, precision, optimiser) of it");
  CHECK(sentence_of({.cuts = {2}, .ipus = 3, .accumulation = 6}) ==
        "ipuflow: the schedule '1f1b' has 3 stages and the network is cut into 2; give 2 cuts");
  CHECK(sentence_of({.cuts = {4, 2}, .ipus = 3, .accumulation = 6}) ==
        "ipuflow: a stage of the plan begins with block 2 of 6; cuts rise from block to block");
  CHECK(sentence_of({.cuts = {2}, .schedule = "chimera", .ipus = 2, .accumulation = 4}) ==
        "ipuflow: the schedule 'chimera' runs stages on two chips each, which is not planned; count it with train::session");
}

}  // namespace planner_test
