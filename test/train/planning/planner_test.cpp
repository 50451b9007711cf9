// SPDX-License-Identifier: BSL-1.0
#include "small_network.hpp"

#include "instrumented.hpp"
#include "sanitized.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/partition/balance.hpp>
#include <ipuflow/plan/predict/advice.hpp>
#include <ipuflow/plan/predict/best.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/planning/planner.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <string_view>

namespace planner_test {

using namespace planning_test;

namespace {

/// Most of the time that this file takes, for more figures of what the other cases run too.
const doctest::skip in_minutes{sanitized};

train::planner a_planner() { return {ipu::mk2, {train::planned(network, plan::numbers::f32_32, train::adamw{})}}; }

constexpr auto checkpointed = single_stage(input<float, 32>, per_sample<"label", std::uint8_t>, block<"B1">(nn::linear<48>, nn::tanh, nn::checkpoint, nn::linear<48>, nn::tanh),
                                           block<"B2">(nn::linear<10>, use<"label">(nn::cross_entropy)));

/// Blocks that make more bytes than they work on.
constexpr auto images = single_stage(input<half, 1, 28, 28>, per_sample<"label", std::uint8_t>, block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu),
                                     block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu), block<"B3">(nn::flatten, nn::linear<256>, nn::relu),
                                     block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy)));

std::size_t fullest_tile(const ipu::profile& counted, std::size_t chip) {
  std::size_t most = 0;
  for (std::size_t t = 0; t < counted.tiles_per_chip; ++t) most = std::max(most, counted.memory.tiles[chip * counted.tiles_per_chip + t].total());
  return most;
}

/// A plan is held to the run of all chips that the engine counts: time, bytes of each chip's fullest tile, bytes from the host.
void check(train::planner& planner, const plan::configuration& c) {
  CAPTURE(c.schedule);
  CAPTURE(c.accumulation);
  CAPTURE(c.replicas);
  const plan::prediction guess = planner(c);
  const ipu::profile counted = planner.counted(c).chips;
  CHECK(std::abs(static_cast<double>(guess.total.value) / static_cast<double>(counted.total.value) - 1) < 0.05);
  std::uint64_t uses = 0;
  for (const cycles time : guess.by_use) uses += time.value;
  CHECK(uses == guess.total.value);
  for (std::size_t chip = 0; chip < c.ipus; ++chip) {
    const auto most = static_cast<double>(fullest_tile(counted, chip));
    CHECK(std::abs(static_cast<double>(guess.memory[chip].bytes.total()) / most - 1) < 0.05);
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
  check(planner, {.cuts = {1, 2, 4}, .schedule = "interleaved_1f1b", .ipus = 2, .micro_batch = 2, .accumulation = 24});
}

TEST_CASE("plans agree with counted runs of schedules that split backwards, fold stages there and back, or cross") {
  train::planner planner = a_planner();
  constexpr std::size_t accumulation = 24;
  for (const char* const name : {"zb1p", "zb2p"})
    check(planner, {.cuts = {2, 4}, .schedule = name, .ipus = 3, .micro_batch = 2, .accumulation = accumulation});
  for (const char* const name : {"zbv", "v_half", "v_min", "dualpipev", "interleaved_1f1b", "looped_bfs"})
    check(planner, {.cuts = {1, 2, 4}, .schedule = name, .ipus = 2, .micro_batch = 2, .accumulation = accumulation});
  for (const char* const name : {"chimera", "dualpipe"}) {
    check(planner, {.cuts = {3}, .schedule = name, .ipus = 2, .micro_batch = 2, .accumulation = accumulation});
    check(planner, {.cuts = {1, 3, 4}, .schedule = name, .ipus = 4, .micro_batch = 2, .accumulation = accumulation});
    check(planner, {.cuts = {3}, .schedule = name, .ipus = 2, .replicas = 2, .micro_batch = 2, .accumulation = accumulation, .recompute = schedule::all_stages});
  }
}

TEST_CASE("plans agree with counted runs where a slow host feeds the two chips of a crossed schedule on I/O tiles") {
  train::planner planner = a_planner();
  for (const char* const name : {"chimera", "dualpipe"}) {
    for (const double host : {3e-5, 4e-5, 6e-5, 9e-5}) {
      CAPTURE(host);
      check(planner, {.cuts = {1, 3, 4}, .schedule = name, .ipus = 4, .micro_batch = 2, .accumulation = 24, .io_tiles = 32, .prefetch = 1, .host_time{host}});
    }
  }
}

TEST_CASE("plans agree with counted runs of many micro-batches where rings begin again with each run, and where tiles have lists of slots") {
  train::planner planner = a_planner();
  for (const char* const name : {"zb1p", "zb2p"}) {
    plan::configuration c{.cuts = {2, 4}, .schedule = name, .ipus = 3, .micro_batch = 2, .accumulation = 500};
    check(planner, c);
    const plan::prediction few = planner(c);
    c.accumulation = 2000;
    const plan::prediction many = planner(c);
    for (std::size_t chip = 0; chip < 3; ++chip) CHECK(many.memory[chip].bytes.total() == few.memory[chip].bytes.total());
    c.accumulation = 24, c.device_iterations = 3;
    check(planner, c);
  }
  for (const char* const name : {"zbv", "looped_bfs"})
    check(planner, {.cuts = {1, 2, 4}, .schedule = name, .ipus = 2, .micro_batch = 2, .accumulation = 500});
}

TEST_CASE("plans agree with counted runs for what may be chosen beside the schedule") {
  train::planner planner = a_planner();
  const plan::configuration plain{.cuts = {3}, .ipus = 2, .micro_batch = 4, .accumulation = 16};
  const auto with = [&](auto change) {
    plan::configuration c = plain;
    change(c);
    check(planner, c);
  };
  with([](auto& c) { c.recompute = schedule::all_stages; });
  with([](auto& c) { c.recompute = {0}; });
  with([](auto& c) { c.schedule = "gpipe", c.recompute = {1}; });
  with([](auto& c) { c.schedule = "zbv", c.cuts = {1, 2, 4}, c.recompute = {1, 2}; });
  with([](auto& c) { c.device_iterations = 3; });
  with([](auto& c) { c.replicas = 4; });
  with([](auto& c) { c.replicas = 4, c.shard_optimiser = true; });
  with([](auto& c) { c.optimiser_off_chip = true; });
  with([](auto& c) { c.io_tiles = 32; });
  with([](auto& c) { c.call_time = seconds{1e-3}; });
  with([](auto& c) { c.host_time = seconds{5e-3}; });
  with([](auto& c) { c.host_time = seconds{1e-4}, c.prefetch = 0; });
  for (const char* const name : {"1f1b", "gpipe"}) check(planner, {.schedule = name, .micro_batch = 2, .accumulation = 64});  // on one chip
}

TEST_CASE("plans of inference agree with counted runs, with results of every micro-batch") {
  train::planner planner = a_planner();
  for (const char* const name : {"inference", "grouped", "interleaved", "sequential", "sharded"}) {
    for (const std::size_t accumulation : {4u, 16u, 64u}) {
      for (const std::size_t io_tiles : {0u, 16u}) {
        plan::configuration c{.cuts = {3}, .schedule = name, .run_for = mode::inference, .ipus = 2, .micro_batch = 2, .accumulation = accumulation, .io_tiles = io_tiles};
        check(planner, c);
        c.device_iterations = 3;
        check(planner, c);
        c.waits_for_neighbours = io_tiles > 0;
        check(planner, c);
      }
    }
  }
  const plan::configuration one{.schedule = "inference", .run_for = mode::inference, .micro_batch = 2, .accumulation = 16};
  check(planner, one);
  plan::configuration trains = one;
  trains.schedule = "1f1b", trains.run_for = mode::training;
  CHECK(planner(one).total.value < planner(trains).total.value / 2);
  CHECK(planner(one).memory[0].bytes[plan::memory_use::gradients] == 0);
  CHECK(planner(one).memory[0].bytes[plan::memory_use::optimiser_state] == 0);
}

TEST_CASE("results that are more than the work are sent as fast as a run of inference sends them") {
  constexpr auto wide = single_stage(input<float, 2000>, block<"in">(nn::linear<8>), block<"out">(nn::linear<2000>), block<"last">(nn::relu));
  train::planner planner(ipu::mk2, {train::planned(wide, plan::numbers::f32_32, train::sgd{})});
  for (const std::size_t io_tiles : {0u, 8u}) {
    for (const bool neighbours : {false, true}) {
      if (neighbours && io_tiles == 0) continue;
      check(planner, {.cuts = {1}, .schedule = "inference", .run_for = mode::inference, .ipus = 2, .micro_batch = 4, .accumulation = 48, .io_tiles = io_tiles, .waits_for_neighbours = neighbours});
    }
  }
}

TEST_CASE("the best are the best of all, though most are not planned: they are slower in any stages, or far too full" * in_minutes) {
  ipu::architecture chip = ipu::mk2;
  chip.tiles = 24;
  for (const std::uint64_t memory : {16'000u, 20'000u, 24'000u, 60'000u}) {
    CAPTURE(memory);
    chip.tile_memory = bytes{memory};
    train::planner planner(chip, {train::planned(network, plan::numbers::f32_32, train::adamw{})}), other(chip, {train::planned(network, plan::numbers::f32_32, train::adamw{})});
    const plan::choices of{.chips = 4, .batch = 48, .ipus = {1, 2, 4}, .schedules = {"1f1b", "gpipe", "zb1p"}, .micro_batches = {1, 2, 4, 6}, .most = 3};
    const plan::best_found found = planner.best(of);
    const plan::best_found all = plan::best([&](const plan::configuration& c) { return other(c); }, [&](const plan::configuration& c, const plan::staging& how) { return other.balanced(c, how); }, of);
    REQUIRE(found.best.size() == all.best.size());
    for (std::size_t i = 0; i < all.best.size(); ++i) CHECK(found.best[i].then.total == all.best[i].then.total);
    CHECK(found.planned == all.planned);
    if (found.best.size() == of.most) CHECK(planner.counted_chips() < other.counted_chips());
  }
}

TEST_CASE("what trains refuses schedules of inference, and the other way round; a search and the best know them") {
  train::planner planner = a_planner();
  const plan::configuration trains{.cuts = {3}, .schedule = "inference", .ipus = 2, .micro_batch = 2, .accumulation = 8};
  CHECK_THROWS_WITH_AS((void)planner(trains), doctest::Contains("has no backward passes"), rejected<schedule::schedule_fault>);
  plan::configuration used{.cuts = {3}, .schedule = "1f1b", .run_for = mode::inference, .ipus = 2, .micro_batch = 2, .accumulation = 8};
  CHECK_THROWS_WITH_AS((void)planner(used), doctest::Contains("has no inference form"), rejected<schedule::schedule_fault>);
  used.schedule = "search";
  check(planner, used);
  CHECK(planner.timetable(used).run_for == mode::inference);
  used.cuts.clear();
  used.cuts = planner.balanced(used).cuts;
  REQUIRE(used.cuts.size() == 1);
  check(planner, used);
  const plan::best_found found = planner.best({.like = {.run_for = mode::inference}, .chips = 2, .batch = 32, .ipus = {1, 2}, .schedules = {"inference", "1f1b", "grouped"}, .micro_batches = {1, 2, 4}});
  REQUIRE(!found.best.empty());
  CHECK(found.refused == 6);  // two kinds of recomputation, three micro-batches
  for (const plan::ranked& r : found.best) CHECK(r.with.run_for == mode::inference);
  for (const plan::advice& a : plan::advise(planner, {.cuts = {1}, .schedule = "inference", .run_for = mode::inference, .ipus = 2, .micro_batch = 2, .accumulation = 8}, {.least_gain = -1})) {
    CHECK(a.change.find("recomputation") == std::string::npos);
    CHECK(a.change.find("optimiser") == std::string::npos);
    CHECK(a.change.find("gradients") == std::string::npos);
  }
}

TEST_CASE("a first stage without weights is sent no gradients, and a plan knows it") {
  constexpr auto none_before = single_stage(input<float, 3000>, per_sample<"label", std::uint8_t>, block<"plain">(nn::relu), block<"more">(nn::layer_norm, nn::relu),
                                            block<"last">(nn::linear<10>, use<"label">(nn::cross_entropy)));
  train::planner planner(ipu::mk2, {train::planned(none_before, plan::numbers::f32_32, train::sgd{})});
  for (const char* const name : {"1f1b", "zb1p", "gpipe"}) {
    const plan::configuration c{.cuts = {1, 2}, .schedule = name, .ipus = 3, .micro_batch = 4, .accumulation = 24};
    check(planner, c);
    CHECK(std::abs(static_cast<double>(planner(c).total.value) / static_cast<double>(planner.counted(c).chips.total.value) - 1) < 0.005);
  }
}

TEST_CASE("plans agree with counted runs where all chips are told of all gradients before their updates" * in_minutes) {
  train::planner planner = a_planner();
  for (const char* const name : {"1f1b", "gpipe", "chimera"}) {
    for (const std::size_t replicas : {1u, 2u}) {
      for (const bool neighbours : {false, true}) {
        plan::configuration c{.cuts = {3}, .schedule = name, .ipus = 2, .replicas = replicas, .micro_batch = 2, .accumulation = 2};
        if (neighbours) c.io_tiles = 16, c.waits_for_neighbours = true;
        const auto plain = planner(c).total;
        c.limits_gradients = true;
        check(planner, c);
        c.shard_optimiser = replicas > 1;
        check(planner, c);
        c.limits_gradients = false, c.automatic_loss_scale = true;
        check(planner, c);
        c.limits_gradients = true;
        check(planner, c);
        CHECK(planner(c).total.value > plain.value * 11 / 10);  // which is much of a step as short as this one
      }
    }
  }
}

TEST_CASE("a plan knows in which steps values are kept and brought back, on the chip and off it: it is the counted run to a cycle a pass") {
  train::planner planner(ipu::mk2, {train::planned(images, plan::numbers::f16_16, train::sgd{})});
  for (const char* const name : {"1f1b", "interleaved", "eager_1f1b", "zb1p", "zb2p", "grouped", "gpipe", "sequential"}) {
    for (const bool off_chip : {false, true}) {
      for (const std::size_t accumulation : {8u, 32u, 96u}) {
        const plan::configuration c{.cuts = {1, 2, 3},
                                    .schedule = name,
                                    .ipus = 4,
                                    .micro_batch = 1,
                                    .accumulation = accumulation,
                                    .precision = plan::numbers::f16_16,
                                    .activations_off_chip = off_chip};
        CAPTURE(c.schedule);
        CAPTURE(off_chip);
        CAPTURE(accumulation);
        const double plan = static_cast<double>(planner(c).total.value), counted = static_cast<double>(planner.counted(c).chips.total.value);
        CHECK(std::abs(plan - counted) < static_cast<double>(8 * accumulation));  // with means of passes 1f1b was 6 and 9 % off
      }
    }
  }
}

TEST_CASE("a plan knows how long chips wait for a host that makes one micro-batch after the other: to a cycle a pass") {
  train::planner planner(ipu::mk2, {train::planned(images, plan::numbers::f16_16, train::sgd{})});
  for (const char* const name : {"1f1b", "gpipe", "interleaved", "sequential"}) {
    for (const double host : {1e-6, 1e-5, 5e-5, 2e-4}) {  // a micro-batch takes 30 microseconds
      for (const std::size_t prefetch : {1u, 3u}) {
        for (const std::size_t accumulation : {4u, 96u}) {
          const plan::configuration c{.cuts = {2},
                                      .schedule = name,
                                      .ipus = 2,
                                      .micro_batch = 2,
                                      .accumulation = accumulation,
                                      .device_iterations = 3,
                                      .precision = plan::numbers::f16_16,
                                      .prefetch = prefetch,
                                      .host_time{host}};
          CAPTURE(c.schedule);
          CAPTURE(host);
          CAPTURE(prefetch);
          CAPTURE(accumulation);
          const double plan = static_cast<double>(planner(c).total.value), counted = static_cast<double>(planner.counted(c).chips.total.value);
          CHECK(std::abs(plan - counted) < static_cast<double>(3 * 8 * accumulation));  // with the last one's way on the average it was up to 28 % off
        }
      }
    }
  }
}

TEST_CASE("a plan knows that a host works beside the chips where I/O tiles take the next micro-batch early, with none ahead, too" * in_minutes) {
  train::planner planner(ipu::mk2, {train::planned(images, plan::numbers::f16_16, train::sgd{})});
  for (const char* const name : {"1f1b", "gpipe", "interleaved", "sequential"}) {
    for (const double host : {1e-6, 1e-5, 5e-5, 2e-4}) {
      for (const std::size_t prefetch : {0u, 1u, 3u}) {
        for (const std::size_t accumulation : {4u, 96u}) {
          const plan::configuration c{.cuts = {2},
                                      .schedule = name,
                                      .ipus = 2,
                                      .micro_batch = 16,
                                      .accumulation = accumulation,
                                      .device_iterations = 3,
                                      .precision = plan::numbers::f16_16,
                                      .io_tiles = 16,
                                      .prefetch = prefetch,
                                      .host_time{host}};
          CAPTURE(c.schedule);
          CAPTURE(host);
          CAPTURE(prefetch);
          CAPTURE(accumulation);
          const double plan = static_cast<double>(planner(c).total.value), counted = static_cast<double>(planner.counted(c).chips.total.value);
          CHECK(std::abs(plan / counted - 1) < 0.015);  // with the host's time of all micro-batches added it was up to 40 % off
        }
      }
    }
  }
}

TEST_CASE("plans agree with counted runs of chips that wait for neighbours and for a slow host, in a run and in several" * in_minutes) {
  train::planner planner = a_planner();
  for (const char* const name : {"1f1b", "gpipe", "zb1p", "grouped", "eager_1f1b", "sequential", "sharded"}) {
    for (const double host : {0.0, 1e-5, 5e-5, 2e-4}) {
      for (const std::size_t prefetch : {0u, 3u}) {
        for (const std::size_t runs : {1u, 3u}) {
          CAPTURE(host);
          CAPTURE(prefetch);
          CAPTURE(runs);
          const plan::configuration c{.cuts = {1, 3, 4},
                                      .schedule = name,
                                      .ipus = 4,
                                      .micro_batch = 2,
                                      .accumulation = 16,
                                      .device_iterations = runs,
                                      .io_tiles = 16,
                                      .waits_for_neighbours = true,
                                      .prefetch = prefetch,
                                      .host_time{host}};
          CAPTURE(c.schedule);
          const double plan = static_cast<double>(planner(c).total.value), counted = static_cast<double>(planner.counted(c).chips.total.value);
          CHECK(std::abs(plan / counted - 1) < 0.03);
        }
      }
    }
  }
}

TEST_CASE("plans agree with counted runs of chips that wait for neighbours, of two stages each, and a slow host") {
  train::planner planner = a_planner();
  for (const char* const name : {"zbv", "v_half", "dualpipev", "interleaved_1f1b"}) {
    for (const std::size_t accumulation : {4u, 6u, 8u}) {
      for (const std::size_t prefetch : {0u, 1u}) {
        const plan::configuration c{.cuts = {1, 3, 4},
                                    .schedule = name,
                                    .ipus = 2,
                                    .micro_batch = 4,
                                    .accumulation = accumulation,
                                    .io_tiles = 16,
                                    .waits_for_neighbours = true,
                                    .prefetch = prefetch,
                                    .host_time{5e-5}};
        CAPTURE(c.schedule);
        CAPTURE(accumulation);
        CAPTURE(prefetch);
        const double plan = static_cast<double>(planner(c).total.value);
        const double counted = static_cast<double>(planner.counted(c).chips.total.value);
        CHECK(std::abs(plan / counted - 1) < 0.04);  // with the last one's way alone it was up to 15 % off
      }
    }
  }
}

TEST_CASE("a host that works ahead over the end of a step has made a few when the next begins, as is counted of two steps" * in_minutes) {
  train::planner planner = a_planner();
  for (const bool free : {false, true}) {
    for (const char* const name : {"1f1b", "gpipe", "grouped"}) {
      for (const double host : {1e-5, 5e-5, 2e-4}) {
        for (const std::size_t prefetch : {1u, 3u}) {
          plan::configuration c{.cuts = {3},
                                .schedule = name,
                                .ipus = 2,
                                .micro_batch = 2,
                                .accumulation = 40,
                                .io_tiles = 16,
                                .waits_for_neighbours = free,
                                .prefetch = prefetch,
                                .host_time{host},
                                .asynchronous_loading = true};
          CAPTURE(free);
          CAPTURE(c.schedule);
          CAPTURE(host);
          CAPTURE(prefetch);
          const auto counted = [&] { return static_cast<double>(planner.counted(c).chips.total.value); };
          const double plan = static_cast<double>(planner(c).total.value), goes_on = counted();
          CHECK(std::abs(plan / goes_on - 1) < 0.03);  // held to a step that begins with nothing it was up to 30 % off
          c.asynchronous_loading = false;
          const double first = counted();
          c.device_iterations = 2;
          CHECK(std::abs((counted() - first) / goes_on - 1) < 0.03);  // I/O tiles are filled over the end of an update, not over that of a step
          c.asynchronous_loading = true;
          CHECK(std::abs(static_cast<double>(planner(c).total.value) / counted() - 1) < 0.03);
        }
      }
    }
  }
}

TEST_CASE("a plan knows the copies that bring what the host sent from I/O tiles, and that nothing hides what it sends first") {
  train::planner planner(ipu::mk2, {train::planned(images, plan::numbers::f16_16, train::sgd{})});
  const auto off = [&](const plan::configuration& c) {
    return static_cast<double>(planner(c).total.value) / static_cast<double>(planner.counted(c).chips.total.value) - 1;
  };
  for (const std::size_t tiles : {3u, 32u}) {
    for (const std::size_t accumulation : {1u, 5u, 64u})
      CHECK(std::abs(off({.micro_batch = 16, .accumulation = accumulation, .precision = plan::numbers::f16_16, .io_tiles = tiles})) < 0.005);
    CHECK(std::abs(off({.cuts = {1, 2, 3}, .ipus = 4, .micro_batch = 16, .accumulation = 12, .precision = plan::numbers::f16_16, .io_tiles = tiles})) < 0.01);
  }
}

TEST_CASE("plans agree with counted runs of tensors that streaming memory brings for passes and for the update") {
  train::planner planner = a_planner();
  for (const std::size_t accumulation : {2u, 8u}) {
    for (const bool weights : {false, true}) {
      const plan::configuration one{.micro_batch = 2, .accumulation = accumulation, .weights_off_chip = weights, .accumulators_off_chip = !weights};
      CHECK(planner(one).total - planner.counted(one).chips.total < cycles{2 * accumulation});  // a chip alone is the run; passes are rounded up
      plan::configuration c = one;
      c.cuts = {3}, c.ipus = 2;
      for (const char* const name : {"1f1b", "zb2p"}) {
        c.schedule = name;
        check(planner, c);
      }
    }
  }
}

TEST_CASE("plans agree with counted runs where operations of each chip have memory of their own, and the chips are counted so") {
  train::planner planner = a_planner();
  plan::configuration c{.cuts = {3}, .ipus = 2, .micro_batch = 256, .accumulation = 16, .memory_proportion = {0.001, 0.6}};
  check(planner, c);
  const auto busy = [&](const ipu::memory_proportions& share) {
    c.memory_proportion = share;
    return planner(c).busy;
  };
  const auto both = busy({0.001, 0.6}), least = busy(0.001), most = busy(0.6);
  CHECK(both[0] == least[0]);
  CHECK(both[1] == most[1]);
  CHECK(least[0] > most[0]);  // more and slower slices
  CHECK(least[1] > most[1]);
  CHECK(busy({0.001, 0.001}) == least);
  const std::size_t counted = planner.counted_chips();
  CHECK(busy({0.6, 0.001})[0] == most[0]);
  CHECK(planner.counted_chips() == counted);  // each with its own is counted once, whatever the others have
}

TEST_CASE("plans agree with counted runs of chips that wait for neighbours alone") {
  train::planner planner = a_planner();
  for (const char* const name : {"1f1b", "gpipe", "zb1p", "chimera"})
    check(planner, {.cuts = {1, 3, 4}, .schedule = name, .ipus = 4, .micro_batch = 2, .accumulation = 24, .io_tiles = 16, .waits_for_neighbours = true});
  for (const char* const name : {"zbv", "interleaved_1f1b", "dualpipev", "grouped"})
    check(planner, {.cuts = {1, 3, 4}, .schedule = name, .ipus = 2, .micro_batch = 2, .accumulation = 48, .io_tiles = 16, .waits_for_neighbours = true});
}

TEST_CASE("plans agree with counted runs of chips that wait for neighbours where places on I/O tiles are full, and where two have the same weights") {
  train::planner planner = a_planner();
  const auto off = [&](const plan::configuration& c) {
    return static_cast<double>(planner(c).total.value) / static_cast<double>(planner.counted(c).chips.total.value) - 1;
  };
  plan::configuration c{.cuts = {1, 3, 5}, .schedule = "looped_bfs", .ipus = 2, .micro_batch = 5, .io_tiles = 16, .waits_for_neighbours = true};
  for (const std::size_t accumulation : {9u, 60u}) {
    c.accumulation = accumulation;
    CAPTURE(accumulation);
    CHECK(std::abs(off(c)) < 0.02);  // as if no message waited for a place it was up to 18 % short
  }
  c.cuts = {2, 3, 4}, c.schedule = "chimera", c.ipus = 4;
  for (const std::size_t accumulation : {2u, 4u, 24u}) {
    c.accumulation = accumulation;
    CAPTURE(accumulation);
    CHECK(std::abs(off(c)) < 0.03);  // as if chips updated what they share each by itself it was up to 12 % short
  }
}

TEST_CASE("plans agree with counted runs where stages on different chips share a table: its gradients and its numbers pass between them") {
  constexpr auto tokens = single_stage(input<std::uint16_t, 16>, per_sample<"next", tensor<std::uint16_t, 16>>, block<"embed">(nn::embedding<4000, 64>),
                                       repeat<3>(block<"layer">(nn::layer_norm, nn::linear<64>, nn::gelu)),
                                       block<"scores">(nn::layer_norm, nn::tied<"embed[0]">(without_biases(nn::linear<4000>)), use<"next">(nn::cross_entropy)));
  ipu::architecture chip = ipu::mk2;
  chip.tiles = 128;
  train::planner planner(chip, {train::planned(tokens, plan::numbers::f32_32, train::sgd{})});
  for (const char* const name : {"1f1b", "gpipe", "chimera"}) {
    for (const bool free : {false, true}) {
      for (const std::size_t replicas : {1u, 2u}) {
        plan::configuration c{.cuts = {1, 2, 3}, .schedule = name, .ipus = 4, .replicas = replicas, .micro_batch = 1, .accumulation = 4};
        if (free) c.io_tiles = 16, c.waits_for_neighbours = true;
        const double plan = static_cast<double>(planner(c).total.value), counted = static_cast<double>(planner.counted(c).chips.total.value);
        CAPTURE(c.schedule);
        CAPTURE(free);
        CAPTURE(replicas);
        CHECK(std::abs(plan / counted - 1) < 0.02);
      }
    }
  }
  check(planner, {.cuts = {1, 2, 3}, .schedule = "1f1b", .ipus = 4, .micro_batch = 1, .accumulation = 16, .accumulators_off_chip = true});
  check(planner, {.cuts = {1, 3}, .schedule = "1f1b", .ipus = 3, .micro_batch = 1, .accumulation = 16, .weights_off_chip = true});
  check(planner, {.cuts = {1, 2, 4}, .schedule = "interleaved_1f1b", .ipus = 2, .micro_batch = 1, .accumulation = 8});
}

TEST_CASE("a schedule that is searched for is no slower than any of the catalogue, and its run agrees with the plan") {
  const plan::configuration in_step{.cuts = {1, 2, 3, 4, 5}, .schedule = "search", .ipus = 3, .micro_batch = 2, .accumulation = 8};
  const plan::configuration free{.cuts = {3, 5}, .schedule = "search", .ipus = 3, .micro_batch = 2, .accumulation = 48, .io_tiles = 16, .waits_for_neighbours = true};
  for (const plan::configuration& c : {in_step, free}) {
    train::planner planner = a_planner();
    check(planner, c);
    const plan::prediction best = planner(c);
    CHECK(!schedule::verify(planner.timetable(c)));
    CHECK(planner.timetable(c).where.micro_batches == c.accumulation);
    const std::string name = planner.found_schedule(c);
    CHECK(name.starts_with("search, ") == c.waits_for_neighbours);  // shorter than all of the catalogue
    for (const std::string_view other : schedule::schedule_names) {
      plan::configuration of = c;
      of.schedule = other;
      if (other == "inference" || other == "phased") continue;
      try {
        const cycles total = planner(of).total;
        CHECK(total >= best.total);
        if (other == name) CHECK(total == best.total);
      } catch (const error&) {  // of other stages
      }
    }
  }
}

TEST_CASE("one stage has a schedule that is searched for, too: a plan, its timetable and its run are of the same one") {
  train::planner planner(ipu::mk2, {train::planned(checkpointed, plan::numbers::f32_32, train::adamw{})});
  const plan::configuration c{.schedule = "search", .micro_batch = 3, .accumulation = 22, .recompute = schedule::all_stages};
  check(planner, c);
  plan::configuration known = c;
  known.schedule = "1f1b";
  CHECK(planner(c).total < planner(known).total);  // split backwards keep what the others make again
  CHECK(planner.found_schedule(c) != "1f1b");
}

TEST_CASE("the uses of a step add up to it where chips wait for their neighbours and one that works less updates longer") {
  train::planner planner(ipu::mk2, {train::planned(images, plan::numbers::f16_16, train::sgd{})});
  for (const std::size_t samples : {2u, 8u}) {
    const plan::prediction p = planner({.cuts = {2}, .schedule = "eager_1f1b", .ipus = 2, .micro_batch = samples, .accumulation = 24, .device_iterations = 2,
                                        .precision = plan::numbers::f16_16, .io_tiles = 16, .waits_for_neighbours = true});
    CHECK(p.busiest == 0);  // and chip 1 has most of the weights
    std::uint64_t uses = 0;
    for (const cycles time : p.by_use) uses += time.value;
    CHECK(uses == p.total.value);
  }
}

TEST_CASE("stages are no longer for recomputation where backwards are split and keep what they read") {
  train::planner planner = a_planner();
  for (const char* const name : {"zb1p", "1f1b"}) {
    plan::configuration c{.schedule = name, .ipus = 3, .micro_batch = 4, .accumulation = 8};
    const auto plain = planner.balanced(c).cuts;
    bool all_alike = true;
    for (std::size_t stage = 0; stage < 3; ++stage) {
      c.recompute = {stage};
      const plan::chosen_stages found = planner.balanced(c);
      CHECK(found.recompute == (name[0] == 'z' ? schedule::stage_set{} : c.recompute));
      all_alike = all_alike && found.cuts == plain;
      plan::configuration cut = c;
      cut.cuts = found.cuts;
      CHECK(planner.recomputed(cut) == found.recompute);
      for (const auto how : {plan::recomputing::as_configured, plan::recomputing::where_full}) {
        plan::configuration alone = c;
        alone.ipus = 1, alone.recompute = {0};  // one stage, whatever the schedule
        CHECK(planner.balanced(alone, {.recompute = how}).recompute == (name[0] == 'z' ? schedule::stage_set{} : alone.recompute));
      }
      if (name[0] == 'z') CHECK(planner.recomputed_where_full(cut) == schedule::stage_set{});
    }
    CHECK(all_alike == (name[0] == 'z'));
    c.recompute = {0, 3};  // of three stages
    CHECK_THROWS_AS((void)planner.balanced(c), rejected<schedule::schedule_fault>);
    c.run_for = mode::inference, c.schedule = "inference", c.recompute = schedule::all_stages;
    CHECK(planner.balanced(c).recompute == schedule::stage_set{});
  }
}

TEST_CASE("a schedule that is searched for is the fastest whatever was planned before: with a slow host all may take as long") {
  const plan::configuration c{.cuts = {1, 2, 3, 4, 5}, .schedule = "search", .ipus = 3, .micro_batch = 2, .accumulation = 8};
  plan::configuration slow = c;
  slow.host_time = seconds{0.1}, slow.asynchronous_loading = true;
  train::planner planner = a_planner(), other = a_planner();
  CHECK(planner(slow).bound() == plan::time_use::host);
  CHECK(planner(c).total == other(c).total);
  CHECK(planner.found_schedule(c) == other.found_schedule(c));
}

TEST_CASE("a schedule that is searched for leaves as much free as it is told: the fastest that fits is another one where that is much") {
  const plan::configuration c{.cuts = {3}, .schedule = "search", .ipus = 2, .micro_batch = 2, .accumulation = 16};
  train::planner planner = a_planner();
  const plan::prediction fastest = planner(c);
  std::size_t fullest = 0;
  for (const plan::chip_memory& chip : fastest.memory) fullest = std::max<std::size_t>(fullest, chip.bytes.total());
  const double headroom = 1 - static_cast<double>(fullest - 4) / static_cast<double>(planner.chip().tile_memory.value);
  train::planner careful(planner.chip(), {train::planned(network, plan::numbers::f32_32, train::adamw{})}, headroom);
  CHECK(plan::verify_fits(fastest, headroom));
  CHECK_FALSE(plan::verify_fits(careful(c), headroom));
  CHECK(careful(c).total > fastest.total);
  CHECK(careful.timetable(c).where.micro_batches == 16);
  const plan::best_found best = planner.best({.like = c, .chips = 2, .batch = 32, .ipus = {2}, .schedules = {"search"}, .micro_batches = {2}, .headroom = headroom});
  REQUIRE(best.fit > 0);
  CHECK_FALSE(plan::verify_fits(best.best.front().then, headroom));
  CHECK_THROWS_WITH(train::planner(ipu::mk2, {}, 1), "ipuflow: the headroom of a plan is no share of a tile's memory; give it 0 or more and less than 1");
}

TEST_CASE("stages are balanced for a search, too, and too many or too few have no schedule") {
  train::planner planner = a_planner();
  plan::configuration c{.schedule = "search", .ipus = 3, .micro_batch = 2, .accumulation = 8};
  c.cuts = planner.balanced(c).cuts;
  CHECK(c.cuts.size() == 2);
  c.schedule = "1f1b";
  CHECK(planner.balanced(c).cuts == c.cuts);
  c.schedule = "search", c.cuts = {1, 2, 3};
  CHECK_THROWS_WITH((void)planner(c), "ipuflow: no schedule has 4 stages on 3 chips for this number of micro-batches; cut the network into as many stages as chips");
  const plan::best_found best = planner.best({.chips = 2, .batch = 32, .ipus = {2}, .schedules = {"1f1b", "gpipe", "search"}, .micro_batches = {2}, .recompute = {plan::recomputing::as_configured}});
  REQUIRE(best.best.size() == 3);
  double most = 0;
  for (const plan::ranked& r : best.best) most = r.with.schedule == "search" ? r.then.samples_per_second() : most;
  CHECK(most == best.best.front().then.samples_per_second());
}

TEST_CASE("a chip with both stages is not one that has both for half of the micro-batches, whatever was planned before") {
  const plan::configuration crossed{.cuts = {3}, .schedule = "chimera", .ipus = 2, .micro_batch = 2, .accumulation = 4};
  const plan::configuration alone{.cuts = {3}, .schedule = "sharded", .micro_batch = 2, .accumulation = 12};
  for (const bool first : {false, true}) {
    train::planner planner = a_planner(), other = a_planner();
    (void)planner(first ? crossed : alone);
    const plan::prediction then = planner(first ? alone : crossed), wanted = other(first ? alone : crossed);
    CHECK(then.total == wanted.total);
    CHECK(then.memory == wanted.memory);
  }
}

TEST_CASE("a plan is the same whatever was planned before") {
  train::planner planner = a_planner();
  for (const std::string name : {"1f1b", "popart", "gpipe", "zb1p", "1f1b", "popart"}) {
    CAPTURE(name);
    plan::configuration c{.cuts = {1, 2, 3}, .schedule = name, .ipus = 4, .micro_batch = 2, .accumulation = 12, .io_tiles = 16};
    for (const bool free : {false, true}) {
      c.waits_for_neighbours = free;
      train::planner other = a_planner();
      const plan::prediction then = planner(c), alone = other(c);
      CHECK(then.memory == alone.memory);
      CHECK(then.total == alone.total);
    }
  }
}

TEST_CASE("a plan of chips that end steps together is the counted run to the cycle, where two stages of a chip hand on to each other, too") {
  for (const std::string name : {"1f1b", "popart", "zb2p", "zbv", "v_half", "v_min", "dualpipe", "chimera"}) {
    CAPTURE(name);
    const bool folded = name[0] == 'v' || name == "zbv";
    const bool crossed = name == "dualpipe" || name == "chimera";
    plan::configuration c{.cuts = {2, 4}, .schedule = name, .ipus = 3, .micro_batch = 2};
    if (folded) c.cuts = {1, 2, 3, 4, 5};
    if (crossed) c.cuts = {1, 2, 4}, c.ipus = 4;
    train::planner planner = a_planner();
    for (const std::size_t micro_batches : {24u, 48u}) {
      CAPTURE(micro_batches);
      c.accumulation = micro_batches;
      CHECK(planner(c).total == planner.counted(c).chips.total);
    }
  }
}

TEST_CASE("a plan of chips that wait for neighbours is the counted run to some cycles, of as many micro-batches as are gone through or of more") {
  for (const std::string name : {"1f1b", "eager_1f1b", "popart", "grouped", "gpipe", "zb1p", "zb2p", "interleaved_1f1b", "zbv", "dualpipe"}) {
    CAPTURE(name);
    plan::configuration c{.cuts = {3, 5}, .schedule = name, .ipus = 3, .micro_batch = 2, .io_tiles = 16, .waits_for_neighbours = true};
    const bool crossed = name == "dualpipe";  // whose bodies do not all take as long
    if (name == "zbv") c.cuts = {1, 2, 3, 4, 5};
    if (crossed) c.cuts = {1, 2, 4}, c.ipus = 4;
    train::planner planner = a_planner();
    for (const std::size_t micro_batches : {crossed ? 12u : 6u, 24u, 96u}) {
      CAPTURE(micro_batches);
      c.accumulation = micro_batches;
      const std::uint64_t then = planner(c).total.value, counted = planner.counted(c).chips.total.value;
      CHECK(std::max(then, counted) - std::min(then, counted) < (crossed ? counted / 300 : 600));  // of half a million to six
    }
  }
}

TEST_CASE("a plan has the bytes of each chip's fullest tile that are counted, though neighbours differ in the order of their passes alone") {
  for (const std::string name : {"1f1b", "zb1p", "gpipe"}) {
    CAPTURE(name);
    const plan::configuration c{.cuts = {1, 2, 3}, .schedule = name, .ipus = 4, .micro_batch = 2, .accumulation = 12};
    train::planner planner = a_planner();
    const plan::prediction then = planner(c);
    const ipu::profile counted = planner.counted(c).chips;
    for (std::size_t chip = 0; chip < c.ipus; ++chip) {
      CAPTURE(chip);
      CHECK(then.memory[chip].bytes.total() == fullest_tile(counted, chip));
    }
  }
}

TEST_CASE("plans agree with counted runs whatever loops the schedules had that were planned before, and however short they were") {
  ipu::architecture small = ipu::mk2;
  small.tiles = 16;
  const auto a_small_one = [&] { return train::planner{small, {train::planned(network, plan::numbers::f32_32, train::adamw{})}}; };
  plan::configuration c{.cuts = {3}, .ipus = 2, .micro_batch = 4, .io_tiles = 4};
  c.weights_off_chip = c.waits_for_neighbours = true, c.prefetch = 3, c.recompute.add(1);
  const auto then = [&](train::planner& planner, const char* name, std::size_t accumulation) {
    c.schedule = name, c.accumulation = accumulation;
    check(planner, c);
  };
  train::planner planner = a_small_one();  // one loop where there were two
  then(planner, "looped_bfs", 20), then(planner, "1f1b", 6), then(planner, "looped_bfs", 6), then(planner, "grouped", 24);
  train::planner shorter = a_small_one();
  then(shorter, "1f1b", 20), then(shorter, "1f1b", 4), then(shorter, "1f1b", 2);
}

TEST_CASE("chips that are alike are counted once") {
  train::planner planner = a_planner();
  (void)planner({.cuts = {1, 2, 3, 4, 5}, .ipus = 6, .micro_batch = 2, .accumulation = 24});
  const std::size_t first = planner.counted_chips();
  CHECK(first <= 5);  // the first, two or three in the middle with and without waiting gradients, the last
  (void)planner({.cuts = {1, 2, 3, 4, 5}, .ipus = 6, .micro_batch = 2, .accumulation = 2400});
  (void)planner({.cuts = {1, 2, 3, 4, 5}, .ipus = 6, .micro_batch = 2, .accumulation = 24, .device_iterations = 7});
  CHECK(planner.counted_chips() == first);
  (void)planner({.cuts = {1, 2, 3, 4, 5}, .ipus = 6, .micro_batch = 2, .accumulation = 24, .prefetch = 1, .host_time{1e-4}, .call_time{1e-3}});
  CHECK(planner.counted_chips() == first);
  plan::configuration split{.cuts = {1, 2, 3, 4, 5}, .schedule = "zb1p", .ipus = 6, .micro_batch = 2, .accumulation = 24};
  (void)planner(split);
  const std::size_t both = planner.counted_chips();
  CHECK(both > first);  // its backwards are others
  split.accumulation = 2400;
  (void)planner(split);
  CHECK(planner.counted_chips() == both);
}

TEST_CASE("a planner advises") {
  train::planner planner = a_planner();
  const plan::configuration c{.micro_batch = 2, .accumulation = 8};
  for (const plan::advice& a : plan::advise(planner, c, {.keeps_numbers = true})) {
    CHECK(a.fits);
    CHECK(a.then.samples_per_second() > planner(c).samples_per_second());
  }
  // A host that begins a micro-batch when it is asked for one, and takes as long as the chips
  plan::configuration slow{.cuts = {2}, .ipus = 2, .micro_batch = 2, .accumulation = 8, .prefetch = 0};
  slow.host_time = seconds{planner(slow).time().value / 8};
  const auto found = plan::advise(planner, slow, {.keeps_numbers = true});
  const auto ahead = std::find_if(found.begin(), found.end(), [](const plan::advice& a) { return a.change == "prefetch of 3 micro-batches"; });
  REQUIRE(ahead != found.end());
  CHECK(ahead->with.prefetch == 3);
  CHECK(ahead->speedup > 1.2);
}

namespace {

/// Small chips, on which memory decides where a network is cut.
train::planner of_small_chips(std::size_t kibibytes) {
  ipu::architecture chip = ipu::mk2;
  chip.tiles = 16, chip.tile_memory = {kibibytes * 1024};
  return {chip, {train::planned(network, plan::numbers::f32_32, train::adamw{})}};
}

/// Plans that are of the kind that a test is about. Sanitizers see some of the chips that the others see.
constexpr std::size_t enough = test::is_instrumented ? 1 : 2;

/// Calls `visit(cuts)` for all partitions of the network into stages.
template <class Visit>
void each_partition(std::size_t stages, const Visit& visit, ipuflow::light_vector<std::size_t> cuts = {}) {
  if (cuts.size() + 1 == stages) return visit(cuts);
  for (std::size_t next = cuts.empty() ? 1 : cuts.back() + 1; next < network.block_count; ++next) {
    cuts.push_back(next);
    each_partition(stages, visit, cuts);
    cuts.pop_back();
  }
}

/// Of all partitions that fit, the time of the longest stage where that is least, in cycles of blocks; 0 if none fits.
std::size_t least_longest(train::planner& planner, plan::configuration c, std::size_t stages, ipuflow::light_vector<plan::chain_block> blocks) {
  for (plan::chain_block& b : blocks) b.backward += c.recompute.all ? b.forward : 0;
  std::size_t least = 0;
  each_partition(stages, [&](const ipuflow::light_vector<std::size_t>& cuts) {
    c.cuts = cuts;
    const std::size_t longest = plan::cut_at(blocks, cuts, {}).bottleneck;
    if (!plan::verify_fits(planner(c)) && (least == 0 || longest < least)) least = longest;
  });
  return least;
}

}  // namespace

TEST_CASE("balanced stages are the best of all that fit, also where the best of all would not") {
  std::size_t others = 0, none = 0;
  for (const std::size_t kibibytes : {56u, 57u, 58u, 59u, 60u, 61u, 64u}) {
    if (test::is_instrumented && kibibytes != 57 && kibibytes != 60) continue;
    train::planner planner = of_small_chips(kibibytes);
    const ipuflow::light_vector<plan::chain_block> blocks = nn::block_chain(network, planner.chip(), {.samples = 4});
    const struct {
      const char* schedule;
      std::size_t stages_per_ipu, stages;
    } all[] = {{"1f1b", 0, 2}, {"gpipe", 0, 2}, {"zbv", 0, 4}, {"interleaved_1f1b", 2, 4}, {"chimera", 0, 2}};
    for (const auto& one : all) {
      for (const bool recompute : {false, true}) {
        CAPTURE(kibibytes);
        CAPTURE(one.schedule);
        CAPTURE(recompute);
        plan::configuration c{.schedule = one.schedule, .ipus = 2, .micro_batch = 4, .accumulation = 16, .recompute = recompute ? schedule::all_stages : schedule::stage_set{}};
        c.cuts = planner.balanced(c, {.stages_per_ipu = one.stages_per_ipu}).cuts;
        REQUIRE(c.cuts.size() + 1 == one.stages);
        const std::size_t least = least_longest(planner, c, one.stages, blocks);
        CHECK(!plan::verify_fits(planner(c)) == (least > 0));
        ipuflow::light_vector<plan::chain_block> timed = blocks;
        for (plan::chain_block& b : timed) b.backward += recompute ? b.forward : 0;
        const ipuflow::light_vector<std::size_t> plain = plan::balance(timed, {.stages = one.stages}).cuts;
        if (least > 0)
          CHECK(plan::cut_at(timed, c.cuts, {}).bottleneck == least);
        else
          CHECK(c.cuts == plain);
        others += least > 0 && c.cuts != plain ? 1u : 0u;
        none += least == 0 ? 1u : 0u;
      }
    }
  }
  CHECK(others >= enough);
  CHECK(none >= 2);
}

TEST_CASE("stages that recompute where their chip is too full are the best of all sets of stages and all cuts") {
  std::size_t some = 0, better = 0;
  for (const std::size_t kibibytes : {60u, 62u, 64u}) {
    if (test::is_instrumented && kibibytes != 62) continue;
    train::planner planner = of_small_chips(kibibytes);
    const ipuflow::light_vector<plan::chain_block> blocks = nn::block_chain(network, planner.chip(), {.samples = 4});
    for (const auto& [name, stages_per_ipu, stages] : {std::tuple{"1f1b", 0u, 2u}, {"gpipe", 0u, 2u}, {"zbv", 0u, 4u}, {"chimera", 0u, 2u}}) {
      CAPTURE(kibibytes);
      CAPTURE(name);
      const plan::configuration plain{.schedule = name, .ipus = 2, .micro_batch = 4, .accumulation = 16};
      std::size_t least = 0;
      each_partition(stages, [&](const ipuflow::light_vector<std::size_t>& cuts) {
        for (std::size_t set = 0; set < std::size_t{1} << stages; ++set) {
          plan::configuration c = plain;
          c.cuts = cuts;
          std::size_t longest = 0;
          for (std::size_t s = 0; s < stages; ++s) {
            const bool again = (set >> s & 1) != 0;
            if (again) c.recompute.add(s);
            std::size_t time = 0;
            for (std::size_t b = s == 0 ? 0 : cuts[s - 1]; b < (s < cuts.size() ? cuts[s] : blocks.size()); ++b)
              time += blocks[b].forward * (again ? 2 : 1) + blocks[b].backward;
            longest = std::max(longest, time);
          }
          if (!plan::verify_fits(planner(c)) && (least == 0 || longest < least)) least = longest;
        }
      });
      plan::configuration c = plain;
      const plan::chosen_stages found = planner.balanced(c, {.stages_per_ipu = stages_per_ipu, .recompute = plan::recomputing::where_full});
      c.cuts = found.cuts, c.recompute = found.recompute;
      CHECK(!plan::verify_fits(planner(c)) == (least > 0));
      if (least == 0) continue;
      std::size_t longest = 0;
      for (std::size_t s = 0; s < stages; ++s) {
        std::size_t time = 0;
        for (std::size_t b = s == 0 ? 0 : c.cuts[s - 1]; b < (s < c.cuts.size() ? c.cuts[s] : blocks.size()); ++b)
          time += blocks[b].forward * (c.recompute.has(s) ? 2 : 1) + blocks[b].backward;
        longest = std::max(longest, time);
      }
      CHECK(longest == least);
      some += !c.recompute.empty() ? 1u : 0u;
      better += !c.recompute.empty() && longest < least_longest(planner, plain, stages, blocks) ? 1u : 0u;
      plan::configuration again = c;  // the same stages by their cuts alone, or fewer
      again.recompute = {};
      again.recompute = planner.recomputed_where_full(again);
      CHECK(!plan::verify_fits(planner(again)));
    }
  }
  CHECK(some >= enough);
  MESSAGE(some << " need recomputation of some stages; " << better << " are shorter than the best without");
}

TEST_CASE("the best configuration of so many chips is that of all numbers of stages and replicas") {
  train::planner planner = of_small_chips(60);
  const plan::choices of{.chips = 4, .batch = 64, .ipus = {1, 2, 4}, .stages_per_ipu = {1, 2}, .schedules = {"1f1b", "interleaved_1f1b", "zbv", "dualpipe"}, .micro_batches = {2, 4}};
  const plan::best_found found = planner.best(of);
  REQUIRE(found.best.size() > 1);
  for (std::size_t i = 1; i < found.best.size(); ++i) CHECK(found.best[i - 1].then.samples_per_second() >= found.best[i].then.samples_per_second());
  for (const plan::ranked& r : found.best) CHECK(r.with.chips() == 4);
  if (test::is_instrumented) return;  // thousands of plans, as others ask for

  double most = 0;  // of all cuts
  for (const std::size_t ipus : of.ipus) {
    for (const std::size_t samples : of.micro_batches) {
      for (const std::string& schedule : of.schedules) {
        for (const std::size_t stages : {ipus, 2 * ipus}) {
          for (std::size_t set = 0; set < std::size_t{1} << stages; ++set) {
            plan::configuration c{.schedule = schedule, .ipus = ipus, .replicas = 4 / ipus, .micro_batch = samples, .accumulation = 64 * ipus / (4 * samples)};
            for (std::size_t s = 0; s < stages; ++s) {
              if ((set >> s & 1) != 0) c.recompute.add(s);
            }
            if (stages > network.block_count || (ipus == 1 && stages > 1)) continue;
            each_partition(stages, [&](const ipuflow::light_vector<std::size_t>& cuts) {
              c.cuts = cuts;
              try {
                const plan::prediction p = planner(c);
                if (!plan::verify_fits(p)) most = std::max(most, p.samples_per_second());
              } catch (const error&) {  // a schedule of other stages
              }
            });
          }
        }
      }
    }
  }
  CHECK(found.best.front().then.samples_per_second() <= most);
  CHECK(found.best.front().then.samples_per_second() >= 0.95 * most);  // stages are balanced by the cycles of their blocks alone
}

TEST_CASE("what cannot be planned is refused with a sentence, each time that it is asked for") {
  train::planner planner = a_planner();
  const auto refusal = [](const auto& ask) {
    try {
      (void)ask();
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto sentence_of = [&](const plan::configuration& c) {
    const std::string said = refusal([&] { return planner(c); });
    CHECK(refusal([&] { return planner(c); }) == said);
    return said;
  };
  CHECK(sentence_of({.precision = plan::numbers::f16_16}) ==
        "ipuflow: the planner was given no network of precision 16.16; give train::planned(network, precision, optimiser) of it");
  CHECK(sentence_of({.cuts = {2}, .ipus = 3, .accumulation = 6}) ==
        "ipuflow: the schedule '1f1b' has 3 stages and the network is cut into 2; give 2 cuts");
  CHECK(sentence_of({.cuts = {4, 2}, .ipus = 3, .accumulation = 6}) ==
        "ipuflow: a stage of the plan begins with block 2 of 6; cuts rise from block to block");
  CHECK(sentence_of({.cuts = {2}, .ipus = 2, .accumulation = 6, .recompute = {0, 2}}) ==
        "ipuflow: stage 2 is named of 2 stages; name stages from 0 on, or all_stages");
  CHECK(sentence_of({.cuts = {2}, .schedule = "no such", .ipus = 2}).find("no such") != std::string::npos);
  CHECK(sentence_of({.schedule = "no such"}).find("no such") != std::string::npos);
  CHECK(sentence_of({.cuts = {2}, .ipus = 2, .accumulation = 4, .io_tiles = 1472}).starts_with("ipuflow: "));
  CHECK(sentence_of({.cuts = {2}, .ipus = 2, .accumulation = 4, .shard_optimiser = true}).starts_with("ipuflow: "));

  const ipuflow::light_vector<plan::configuration> impossible{{.ipus = 0}, {.replicas = 0}, {.micro_batch = 0}, {.micro_batch = std::size_t{1} << 40}, {.accumulation = 0},
                                                    {.device_iterations = 0}, {.memory_proportion = -1}, {.ipus = 2, .memory_proportion = {0.1, 0.2, 0.3}}, {.host_time = seconds{-1}}};
  for (const plan::configuration& c : impossible) {
    const std::string said = sentence_of(c);
    CHECK(said.starts_with("ipuflow: "));
    CHECK(refusal([&] { return planner.counted(c); }) == said);
    CHECK(refusal([&] { return planner.balanced(c); }) == said);
  }
  CHECK(refusal([&] { return planner.counted({.ipus = 2, .accumulation = 4}); }) ==
        "ipuflow: the schedule '1f1b' has 2 stages and the network is cut into 1; give 1 cut");

  const plan::best_found found = planner.best({.chips = 2, .batch = 8, .ipus = {2}, .schedules = {"1f1b", "no such"}});
  CHECK(found.planned == 4);
  CHECK(found.refused == 2);
}

TEST_CASE("stages are balanced anew whatever stages a configuration has, of a schedule that is searched, too") {
  train::planner planner = a_planner();
  plan::choices of{.chips = 4, .batch = 24, .ipus = {1, 2, 4}, .schedules = {"1f1b", "search"}, .micro_batches = {2}};
  const plan::best_found wanted = planner.best(of);
  REQUIRE(!wanted.best.empty());
  of.like.cuts = {1, 2, 4};
  const plan::best_found found = planner.best(of);
  CHECK(found.refused == wanted.refused);
  CHECK(found.fit == wanted.fit);
  REQUIRE(found.best.size() == wanted.best.size());
  for (std::size_t i = 0; i < found.best.size(); ++i) CHECK(found.best[i].with == wanted.best[i].with);
  const plan::configuration two{.cuts = {1, 2, 4}, .schedule = "search", .ipus = 2, .micro_batch = 2, .accumulation = 12};
  CHECK(planner.balanced(two).cuts.size() == 1);
}

}  // namespace planner_test
