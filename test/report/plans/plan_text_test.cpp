// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/plans/plan_text.hpp>

#include <report/plans/planned.hpp>

#include <doctest/doctest.h>

#include <string>

namespace plan_text_test {

using namespace ipuflow;

TEST_CASE("a plan is said from its configuration to its memory") {
  CHECK(report::plan_text(planned::prediction(), planned::choice(), {.network = "lenet", .chip = "mk2", .stages = {"a to c", "d"}}) ==
        "lenet: 6 chips mk2, 3 replicas of 2 stages, schedule popart, precision 16.32\n"
        "8 samples in a micro-batch, 4 micro-batches to an update, 1 update in a step: 96 samples\n"
        "With recomputation, 8-bit input\n"
        "16 I/O tiles on each chip\n"
        "  stage 0: a to c\n"
        "  stage 1: d\n"
        "\n"
        "48,000 samples/s, a step of 2.000 ms, bound by compute\n"
        "Such times are off by (median; worst published): convolutional networks 6.0; 556.5 %,\n"
        "transformers 1.9; 8.5 %, perceptrons 5.2; 14.3 %\n"
        "\n"
        "Time of a step, as chip 1 spends it\n"
        "            cycles      %\n"
        "compute    700,000   70.0\n"
        "bubble     300,000   30.0\n"
        "a step   1,000,000  100.0\n"
        "\n"
        "Chips of a replica, the bytes of their fullest tiles, and the median error of such bytes\n"
        "                       chip 0   chip 1  error %\n"
        "at work, % of a step     60.0     70.0\n"
        "bytes from the host     6,272        8\n"
        "bytes to the host           0       16\n"
        "fullest tile                3       12\n"
        "  weights             100,000  110,000      3.6\n"
        "  activations         300,000        0      3.6\n"
        "  together            400,000  110,000\n"
        "  % of a tile            64.0     17.6\n"
        "\n"
        "Fits: the fullest tile, of chip 0, keeps 36.0 % of its 625,000 bytes free.\n");
}

TEST_CASE("stages that recompute are said, unless all do") {
  plan::configuration c = planned::choice();
  c.recompute = {1};
  CHECK(report::plan_text(planned::prediction(), c).find("\nWith recomputation of stage 1, 8-bit input\n") != std::string::npos);
  c.recompute = {0, 1};
  CHECK(report::plan_text(planned::prediction(), c).find("\nWith recomputation, 8-bit input\n") != std::string::npos);
  c.cuts = {1, 2, 3}, c.recompute = {0, 2};
  CHECK(report::impl::recomputation_of(c) == "recomputation of stages 0 2");
  c.run_for = mode::inference;
  CHECK(report::impl::recomputation_of(c).empty());
}

TEST_CASE("proportions of memory are said where each chip has its own") {
  plan::configuration c = planned::choice();
  c.memory_proportion = {0.15, 0.25};
  CHECK(report::plan_text(planned::prediction(), c).find("\nWith recomputation, 8-bit input, memory proportions 0.15 0.25\n") != std::string::npos);
  CHECK(report::impl::chosen_of({.ipus = 2, .memory_proportion = {0.5, 0.6}}) == "memory proportions 0.5 0.6");
}

TEST_CASE("inference is said to be with what changes it, and training with every choice") {
  plan::configuration c{.bytes_in = true, .recompute = {0}, .half_partials = true, .limits_gradients = true, .automatic_loss_scale = true,
                        .optimiser_off_chip = true, .weights_off_chip = true, .accumulators_off_chip = true, .activations_off_chip = true,
                        .shard_optimiser = true, .shard_gradients = true, .shard_weights = true, .asynchronous_loading = true};
  CHECK(report::impl::chosen_of(c) ==
        "recomputation, 8-bit input, half partials, limited gradients, automatic loss scale, optimiser off the chip, weights off the chip, accumulators "
        "off the chip, activations off the chip, sharded optimiser, sharded gradients, sharded weights, asynchronous loading");
  c.run_for = mode::inference;
  CHECK(report::impl::chosen_of(c) == "8-bit input, half partials, weights off the chip, sharded weights, asynchronous loading");
}

TEST_CASE("names, choices and uses that there are none of are not said") {
  plan::configuration one = planned::choice();
  one = {.accumulation = 1};
  const std::string text = report::plan_text(planned::prediction(), one);
  CHECK(text.starts_with("1 chip, 1 replica of 1 stage, schedule 1f1b, precision 32.32\n1 sample in a micro-batch, 1 micro-batch to an update, "));
  CHECK(text.find("With") == text.npos);
  CHECK(text.find("I/O") == text.npos);
  CHECK(text.find("stage 0") == text.npos);
  CHECK(text.find("stack") == text.npos);
  CHECK(text.find("streaming") == text.npos);
}

TEST_CASE("a plan that does not fit ends with its sentence, and headroom decides") {
  const plan::prediction p = planned::prediction();
  const std::string refused = report::plan_text(p, planned::choice(), {.headroom = 0.5});
  CHECK(refused.ends_with("ipuflow: chip 0 of the plan is too small: its tile 3 needs 400000 bytes and may have 312500, 87500 too few; most are "
                          "activations, 300000: ask plan::advise, or --advise of the command, what would help\n"));
  CHECK(refused.find("Fits") == refused.npos);
  CHECK(report::plan_text(p, planned::choice(), {.headroom = 0.3}).find("Fits") != std::string::npos);
}

TEST_CASE("few samples in a second are said with digits") {
  plan::prediction slow = planned::prediction();
  slow.samples = 1, slow.total = {5'000'000'000};
  CHECK(report::plan_text(slow, planned::choice()).find("\n0.10 samples/s, a step of 10.000 s,") != std::string::npos);
}

}  // namespace plan_text_test
