// SPDX-License-Identifier: BSL-1.0
// What I/O tiles hide: a transfer is on its way from the step where its place is free to the step that needs it, however many
// passes are in between, and costs what is left of it.
#include <ipuflow/run/on_chips.hpp>

#include "chips_runs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace on_chips_transfers_test {

using namespace ipuflow;
using namespace chips_runs;
using namespace chips_stages;
using run::chips_options;
using schedule::setup;

namespace {

constexpr std::size_t pass = 6000;

template <class T>
run::chips_profile counted(const T& t, const chips_options& o, const ipu::chip_system& system) {
  return run::on_chips(t, system, [](ipu::graph& g, std::size_t, const plan::lowering_options& how) { return spender(g, pass, pass, how); }, o)
      .cost();
}
template <class T>
std::uint64_t cycles_of(const T& t, const chips_options& o) {
  return counted(t, o, ipu::pod(few_tiles(), t.where.ipus)).chips.total.value;
}

/// Cycles that a micro-batch more takes in the long run; `timetable(micro_batches)`.
template <class Make>
std::uint64_t pace(Make timetable, chips_options o, std::uint64_t host) {
  o.io_tiles = 4;
  if (host > 0) o.host_time = seconds{(static_cast<double>(host) - 0.5) / few_tiles().clock.value};
  return (cycles_of(timetable(96), o) - cycles_of(timetable(66), o)) / 30;
}

auto passes_of(std::size_t passes) {
  return [=](std::size_t count) { return schedule::inference(setup{1, passes, count, mode::inference}); };
}

/// Of a transfer that no place is free for while anything runs: its own time on the way, and the copy from the I/O tiles.
struct of_transfer {
  std::uint64_t on_the_way = 0;

  explicit of_transfer(const chips_options& o) {
    constexpr std::uint64_t slow = 10'000'000;
    on_the_way = pace(passes_of(1), o, slow) - slow;
  }
};

}  // namespace

TEST_CASE("a transfer three passes long costs nothing where three passes are before it is needed, else its rest") {
  const chips_options nothing_ahead{.outputs = feed::output_mode::final, .prefetch = 0};
  const of_transfer of{nothing_ahead};
  std::vector<std::uint64_t> without;
  for (std::size_t passes = 0; passes <= 8; ++passes) without.push_back(passes == 0 ? 0 : pace(passes_of(passes), nothing_ahead, 0));
  const std::uint64_t three = without[3] - of.on_the_way;  // cycles that the host needs to fill three passes
  for (std::size_t passes = 1; passes <= 8; ++passes) {
    CAPTURE(passes);
    const std::uint64_t rest = passes < 3 ? without[3] - without[passes] : 0;
    CHECK(pace(passes_of(passes), nothing_ahead, three) == without[passes] + rest);
    CHECK(pace(passes_of(passes), nothing_ahead, three + 1) == without[passes] + rest + (passes <= 3 ? 1 : 0));
  }
}

TEST_CASE("on chips of a pipeline: the longer of what a micro-batch takes and of its transfer, whatever the schedule") {
  const chips_options nothing_ahead{.outputs = feed::output_mode::final, .prefetch = 0};
  const chips_options one_ahead{.outputs = feed::output_mode::final, .prefetch = 1};
  const of_transfer of{nothing_ahead};
  const auto check = [&](auto timetable) {
    const std::uint64_t without = pace(timetable, nothing_ahead, 0);
    for (const std::uint64_t host : {without / 4, without / 2, without - without / 8, without, 2 * without, 5 * without}) {
      CAPTURE(host);
      CHECK(pace(timetable, nothing_ahead, host) == std::max(without, host + of.on_the_way));
      CHECK(pace(timetable, one_ahead, host) == std::max(without, host));
    }
  };
  check([](std::size_t count) { return schedule::sharded(setup{1, 3, count}); });
  check([](std::size_t count) { return schedule::sharded(setup{3, 0, count}); });
  check([](std::size_t count) { return schedule::grouped(setup{3, 0, count}); });
  check([](std::size_t count) { return schedule::grouped(setup{3, 0, count}, {.io_tiles = true}); });
  check([](std::size_t count) { return schedule::inference(setup{2, 0, count, mode::inference}); });
}

TEST_CASE("results go the same way, and both ways share the host's port") {
  ipu::chip_system slow = ipu::pod(few_tiles(), 1);
  slow.chip_host_bandwidth = 2e6;  // a transfer takes as long as some passes
  const auto each = [&](std::size_t passes, feed::output_mode outputs) {
    const auto total = [&](std::size_t count) {
      return counted(passes_of(passes)(count), {.outputs = outputs, .io_tiles = 4}, slow).chips.total.value;
    };
    return (total(96) - total(64)) / 32;
  };
  const std::uint64_t way = ipu::host_time(slow, {width * sizeof(float)}).value;
  CHECK(each(1, feed::output_mode::all) == 2 * way);
  CHECK(each(20, feed::output_mode::all) > 2 * way);
  CHECK(each(20, feed::output_mode::all) < each(20, feed::output_mode::final) + way / 10);
}

TEST_CASE("waiting for a transfer is time of the host; what is hidden is in no phase") {
  const auto t = schedule::inference(setup{1, 4, 32, mode::inference});
  const auto on_host = [&](std::uint64_t host) {
    const chips_options o{.prefetch = 1, .host_time = seconds{static_cast<double>(host) / few_tiles().clock.value}, .io_tiles = 4};
    return counted(t, o, ipu::pod(few_tiles(), 1));
  };
  const auto phase = [](const run::chips_profile& p) { return p.chips.chips[0][ipu::phase::host].value; };
  const run::chips_profile none = on_host(0), little = on_host(1000), much = on_host(100 * pass);
  CHECK(phase(little) - phase(none) == 1000);  // of the first one alone
  CHECK(much.chips.total.value - none.chips.total.value == phase(much) - phase(none));
}

namespace {

/// Of four phases the last two have weights, which are loaded anew for each micro-batch.
plan::lowered last_two_load(ipu::graph& g, std::size_t stage, const plan::lowering_options& o) {
  plan::lowered made = spender(g, pass, pass, o);
  if (stage < 2) return made;
  const ipu::mapping map = ipu::linear(width, 8, o.where.first_tile);
  const ipu::variable_id weights = g.add_variable<float>("weights", width, map);
  made.parameters = {{weights, {}, 0}};
  made.forward.then(ipu::copy_all(g, weights, g.add_temporary<float>("used", width, map)));
  return made;
}

}  // namespace

TEST_CASE("from streaming memory: a load is hidden behind all phases since its place was free") {
  const auto pace_of = [](std::uint64_t load) {
    ipu::chip_system system = ipu::pod(few_tiles(), 1);
    system.streaming_bandwidth = width * sizeof(float) * system.chip.clock.value / (static_cast<double>(load) - 0.5);
    const auto total = [&](std::size_t count) {
      const auto t = schedule::phased({1, 4, count, mode::inference}, {.live = schedule::liveness::off_chip_after_forward});
      return run::on_chips(t, system, last_two_load, {.synthetic = true, .io_tiles = 4}).cost().chips.total.value;
    };
    return (total(96) - total(64)) / 32;
  };
  const std::uint64_t without = pace_of(10);
  for (const std::uint64_t eighth : {1u, 2u, 3u, 5u, 6u, 8u, 16u}) {  // of a micro-batch; a phase is two of them
    CAPTURE(eighth);
    const std::uint64_t load = without * eighth / 8;
    CHECK(pace_of(load) == std::max(without, 2 * (load + few_tiles().sync.value)));  // one after the other, whatever runs
  }
}

}  // namespace on_chips_transfers_test
