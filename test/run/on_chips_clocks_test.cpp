// SPDX-License-Identifier: BSL-1.0
// Runs whose chips wait for neighbours only, held to the times of schedule::times_of.
#include <ipuflow/run/on_chips.hpp>

#include <ipuflow/run/chips/stage_costs.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>

#include "chips_runs.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace on_chips_clocks_test {

using namespace ipuflow;
using namespace chips_runs;
using namespace chips_stages;
using run::chips_options;
using run::chips_work;
using run::waits_for;
using schedule::pass;

namespace {

constexpr chips_options freely{.synthetic = true, .io_tiles = 4, .sync = waits_for::neighbours};

/// A stage whose whole backward is both of its halves.
auto spenders(bool even) {
  return [even](ipu::graph& g, std::size_t stage, const plan::lowering_options& o) {
    const std::size_t bundles = even ? 3000 : 2000 + 500 * (stage * 7 % 5);
    plan::lowered made = spender(g, bundles, bundles, o);
    made.recompute = made.forward;
    made.backward = ipu::sequence(made.backward_inputs, made.backward_weights);
    return made;
  };
}

template <class T>
run::chips_profile counted(const T& t, bool even, const chips_options& options) {
  return run::on_chips(t, ipu::pod(few_tiles(), t.where.ipus), spenders(even), options).cost();
}

/// How far the makespan is from that of `times_of`, as a part of it.
template <class T>
double difference(const T& t, bool even) {
  const run::chips_profile p = counted(t, even, freely);
  const std::vector<ipu::chip_transfer> one{{0, 1, bytes{width * sizeof(float)}}};
  const std::size_t message = ipu::transfer_time(ipu::pod(few_tiles(), t.where.ipus), one).value;
  const auto expected = static_cast<double>(schedule::makespan(t, run::costs_in(p, t, message)));
  return static_cast<double>(p.chips.total.value) / expected - 1;
}

}  // namespace

TEST_CASE("each chip in its own time: the numbers are the same, and counting is what running meters") {
  for (const std::size_t ipus : {2u, 4u}) {
    each_timetable(ipus, 16, [](const auto& t) { check_run(t, {.io_tiles = 4, .sync = waits_for::neighbours}); });
  }
  each_timetable(2, 8, [](const auto& t) {
    check_run(t, {.runs = 3, .io_tiles = 2, .sync = waits_for::neighbours});
    check_run(t, {.replicas = 2, .io_tiles = 2, .sync = waits_for::neighbours, .activations = run::kept_in::streaming_memory});
    check_run(t, {.prefetch = 1, .host_time = seconds{3e-6}, .io_tiles = 2, .sync = waits_for::neighbours});
  });
}

TEST_CASE("every schedule takes the time of schedule::times_of, within 3 %: two sizes, even stages and uneven ones") {
  double furthest = 0;
  for (const std::size_t ipus : {4u, 8u}) {
    for (const bool even : {true, false}) {
      each_timetable(ipus, 4 * ipus, [&](const auto& t) {
        CAPTURE(ipus);
        CAPTURE(even);
        const double found = difference(t, even);
        CHECK(std::abs(found) <= 0.03);
        furthest = std::max(furthest, std::abs(found));
      });
    }
  }
  MESSAGE("furthest: " << 100 * furthest << " %");
}

TEST_CASE("a schedule without bubbles is not slower than a grouped one, as it is where all chips step together") {
  const schedule::setup asked{4, 0, 16};
  const auto cycles_of = [&](const auto& t, const chips_options& o) { return counted(t, true, o).chips.total; };
  const chips_options together{.synthetic = true};
  CHECK(cycles_of(schedule::zb1p(asked), freely) <= cycles_of(schedule::grouped(asked), freely));
  CHECK(cycles_of(schedule::eager_1f1b(asked), together) > cycles_of(schedule::grouped(asked), together));
  CHECK(cycles_of(schedule::eager_1f1b(asked), freely) <= cycles_of(schedule::grouped(asked), freely));
}

TEST_CASE("activities: on each chip one pass after the other, none before what it reads was made") {
  each_timetable(4, 16, [](const auto& t) {
    const run::chips_profile p = counted(t, false, freely);
    std::map<std::tuple<pass, std::size_t, std::size_t>, cycles> finished;  // of forward or backward, stage, micro-batch
    std::vector<cycles> busy_until(t.where.ipus);
    std::size_t passes = 0;
    std::vector<run::chips_activity> all;
    p.for_each([&](const run::chips_activity& a) {
      if (a.what.work == chips_work::pass) all.push_back(a);
      return true;
    });
    for (const run::chips_activity& a : all) {
      CHECK(a.start >= busy_until[a.what.chip]);
      CHECK(a.finish <= p.chips.total);
      busy_until[a.what.chip] = a.finish;
      const bool back = schedule::is_backward(a.what.pass);
      finished[{back ? pass::backward : a.what.pass, a.what.stage, a.micro_batch}] = a.finish;
      ++passes;
    }
    for (const run::chips_activity& a : all) {
      const std::size_t from = schedule::read_from(t.where, {a.what.pass, a.what.stage, a.micro_batch});
      if (from == schedule::nowhere) continue;
      const bool back = schedule::is_backward(a.what.pass);
      const auto made = finished.find({back ? pass::backward : a.what.pass, from, a.micro_batch});
      CHECK((made != finished.end() && made->second <= a.start));
    }
    CHECK(passes >= t.where.micro_batches * t.where.stages);
    for (std::size_t c = 0; c < t.where.ipus; ++c) {
      cycles own;
      for (const cycles of_phase : p.chips.chips[c].by_phase) own += of_phase;
      CHECK(own <= p.chips.total);  // what is beside has no part in it
    }
  });
}

TEST_CASE("what repeats is multiplied, once it repeats in time") {
  for (const std::string_view name : {"grouped", "1f1b", "interleaved", "inference"}) {
    CAPTURE(std::string{name});
    const auto total = [&](std::size_t count) {
      std::uint64_t made = 0;
      const schedule::setup asked{4, 0, count, name == "inference" ? mode::inference : mode::training};
      schedule::with_schedule(name, asked, [&](const auto& t) { made = counted(t, false, freely).chips.total.value; });
      return made;
    };
    const std::uint64_t a = total(480);
    const std::uint64_t b = total(960);
    CHECK(total(96'000) == a + (b - a) * (96'000 - 480) / 480);
  }
}

TEST_CASE("links that several messages take at once keep them waiting, as little as they must") {
  const auto t = schedule::chimera(schedule::setup{4, 0, 16});
  ipu::chip_system quick = ipu::pod(few_tiles(), 4);
  quick.order = ipu::chip_order::zigzag;  // messages between the second and the third chip go by others
  ipu::chip_system slow = quick;
  slow.link_bandwidth = 1e6;  // a message takes longer than a pass
  const auto cycles_on = [&](const ipu::chip_system& system) { return run::on_chips(t, system, spenders(true), freely).cost().chips.total; };
  CHECK(cycles_on(slow) > 3 * cycles_on(quick));
  ipu::chip_system snake = slow;
  snake.order = ipu::chip_order::snake;
  CHECK(cycles_on(snake) < cycles_on(slow));  // no link is on the way of two messages in one direction
}

TEST_CASE("I/O tiles are needed where chips hand values on, and only there") {
  const chips_options without{.sync = waits_for::neighbours};
  CHECK_THROWS_WITH(simulated(schedule::grouped(schedule::setup{2, 0, 8}), without),
                    "ipuflow: 2 chips are to wait for neighbours only, but have no I/O tiles to hand values on by; set io_tiles, or "
                    "wait for all_chips");
  const schedule::setup asked{4, 0, 4};
  CHECK(simulated(schedule::sharded(asked), without).cost() .chips == simulated(schedule::sharded(asked)).cost().chips);
}

TEST_CASE("where one operation follows the other, to wait for neighbours changes nothing: I/O tiles that are set aside take what the host sends early") {
  const schedule::setup asked{4, 0, 8};
  for (const char* const name : {"sequential", "sharded"}) {
    CAPTURE(std::string{name});
    const auto counted_with = [&](const chips_options& o) {
      ipu::profile made;
      schedule::with_schedule(name, asked, [&](const auto& t) { made = simulated(t, o).cost().chips; });
      return made;
    };
    chips_options asked_for{.prefetch = 0, .host_time = seconds{3e-6}, .io_tiles = 4};
    const ipu::profile together = counted_with(asked_for);
    asked_for.sync = waits_for::neighbours;
    CHECK(counted_with(asked_for) == together);
    asked_for.io_tiles = 0;
    CHECK(counted_with(asked_for).total > together.total);  // the host waits for the chips, and they for it
  }
}

TEST_CASE("concurrent stages: gradients that are added up wait for the chips that make them") {
  const auto t = schedule::grouped(schedule::devices(0, schedule::on_ipus(1, 2), 3), micro_batches<12>);
  const auto gradients = [&](chips_options o) {
    o.checked = true;
    const run::chips_program p = run::on_chips(t, ipu::pod(few_tiles(), 4), forked, o);
    ipu::engine e = p.engine();
    prepare(p, e, 12);
    CHECK(p.run(e).chips == p.cost().chips);
    std::vector<std::vector<float>> made;
    for (const run::chips_parameter& one : p.parameters()) made.push_back(e.read<float>(one.tensor.gradient));
    return made;
  };
  CHECK(gradients({}) == gradients({.io_tiles = 4, .sync = waits_for::neighbours}));
}

}  // namespace on_chips_clocks_test
