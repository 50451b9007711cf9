// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/machine/chip_system.hpp>
#include <ipuflow/plan/predict/predicted_step.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <numeric>
#include <vector>

namespace predicted_step_test {

using namespace ipuflow;
using plan::memory_use;
using plan::time_use;

namespace {

/// A chip with one stage: cycles of its passes, and tiles of 1,000 bytes but for one.
plan::counted_chip chip_of(std::uint64_t forward, std::uint64_t backward, std::size_t sent) {
  plan::counted_chip made;
  plan::counted_stage s;
  s.passes[static_cast<std::size_t>(schedule::pass::forward)] = {forward};
  s.passes[static_cast<std::size_t>(schedule::pass::backward)] = {backward};
  s.sent = s.sent_back = {sent};
  s[plan::ring_of_stage::stash] = {.depth = 2, .slot = {10, 10, 10, 10}};
  made.stages.push_back(s);
  made.shares = {0.75, 0.25, 0, 0};
  made.tiles.resize(4);
  for (plan::tile_bytes& t : made.tiles) t[memory_use::weights] = 900, t[memory_use::stash] = 20, t[memory_use::activations] = 80;
  made.tiles[2][memory_use::weights] = 950;
  for (const plan::tile_bytes& t : made.tiles) made.totals.push_back(static_cast<std::uint32_t>(t.total()));
  return made;
}

plan::prediction predicted(const plan::configuration& c, const std::vector<plan::counted_chip>& chips) {
  const plan::schedule_steps steps = plan::steps_of(c.schedule, {.ipus = c.ipus, .micro_batches = c.accumulation});
  std::vector<const plan::counted_chip*> all;
  for (const plan::counted_chip& chip : chips) all.push_back(&chip);
  return plan::predict(c, steps, all, ipu::pod(ipu::mk2, c.ipus));
}

}  // namespace

TEST_CASE("steps last as long as their longest chip, worked out by hand") {
  // gpipe, two chips: F0 | F1 F0 | F2 F1 | F3 F2 | F3 | B3 | B3 B2 | ... : with F 10 and B 20 on the first, F 30 and B 5 on the second
  const plan::prediction p = predicted({.schedule = "gpipe", .ipus = 2, .accumulation = 4}, {chip_of(10, 20, 0), chip_of(30, 5, 0)});
  const std::uint64_t forwards = 10 + 3 * 30 + 30, backwards = 5 + 3 * 20 + 20;
  CHECK(p.total.value == forwards + backwards);
  CHECK(p.busy[0].value == 4 * 30);
  CHECK(p.busy[1].value == 4 * 35);
  CHECK(p.busiest == 1);
  CHECK(p[time_use::compute].value == 105);
  CHECK(p[time_use::exchange].value == 35);
  CHECK(p[time_use::bubble].value == p.total.value - 140);
}

TEST_CASE("the uses of time add up to the whole") {
  for (const char* const name : {"1f1b", "grouped", "gpipe", "popart"}) {
    plan::configuration c{.schedule = name, .ipus = 2, .accumulation = 8, .device_iterations = 3, .call_time{1e-3}};
    std::vector<plan::counted_chip> chips{chip_of(1000, 2000, 4000), chip_of(1200, 2100, 4000)};
    chips[0].clear = {50}, chips[0].update = {700}, chips[0].all_reduce = {300};
    chips[0].stages[0].infeed = {40}, chips[0].stages[0].from_host = {64};
    const plan::prediction p = predicted(c, chips);
    std::uint64_t sum = 0;
    for (const cycles t : p.by_use) sum += t.value;
    CHECK(sum == p.total.value);
    CHECK(p.from_host[0] == 64 * 8 * 3);
    CHECK(p.samples == 24);
  }
}

TEST_CASE("a run of the timetable for each device iteration, a call for each step") {
  plan::configuration c{.schedule = "1f1b", .ipus = 2, .accumulation = 8};
  const std::vector<plan::counted_chip> chips{chip_of(1000, 2000, 0), chip_of(1200, 2100, 0)};
  const std::uint64_t once = predicted(c, chips).total.value;
  c.device_iterations = 5;
  CHECK(predicted(c, chips).total.value == 5 * once);
  c.call_time = seconds{1e-3};
  CHECK(predicted(c, chips).total.value == 5 * once + cycles_in(seconds{1e-3}, ipu::mk2.clock).value);
}

TEST_CASE("a host that takes longer than the chips bounds the step") {
  plan::configuration c{.schedule = "1f1b", .ipus = 2, .accumulation = 8, .host_time{1e-3}};
  std::vector<plan::counted_chip> chips{chip_of(1000, 2000, 0), chip_of(1200, 2100, 0)};
  chips[0].stages[0].from_host = {64};
  const std::uint64_t one = cycles_in(seconds{1e-3}, ipu::mk2.clock).value;
  const plan::prediction p = predicted(c, chips);
  CHECK(p.total.value >= 8 * one);
  CHECK(p.total.value < 9 * one);  // and what is left when the last one has come
  CHECK(p.bound() == time_use::host);
  c.asynchronous_loading = true;
  CHECK(predicted(c, chips).total.value == 8 * one);
  c.host_time = seconds{1e-9};  // faster than the chips: the first is waited for, or hidden
  const std::uint64_t hidden = predicted(c, chips).total.value;
  c.asynchronous_loading = false;
  CHECK(predicted(c, chips).total.value == hidden + cycles_in(seconds{1e-9}, ipu::mk2.clock).value);
}

TEST_CASE("the fullest tile, with a stash as deep as the schedule's") {
  const std::vector<plan::counted_chip> chips{chip_of(10, 20, 0), chip_of(30, 5, 0)};
  const plan::prediction few = predicted({.schedule = "gpipe", .ipus = 2, .accumulation = 4}, chips);
  CHECK(few.memory[0].tile == 2);
  const auto depth = [](std::size_t m, std::size_t s) { return schedule::fifo_depths(schedule::gpipe({.ipus = 2, .micro_batches = m}))[s]; };
  CHECK(few.memory[0].bytes[memory_use::stash] == 10 * depth(4, 0));
  const plan::prediction many = predicted({.schedule = "gpipe", .ipus = 2, .accumulation = 1000}, chips);
  CHECK(many.memory[0].bytes[memory_use::stash] == 10 * depth(1000, 0));
  CHECK(many.memory[0].bytes.total() == 950 + 80 + 10 * depth(1000, 0));
  CHECK(many.fullest() == (depth(1000, 0) >= depth(1000, 1) ? 0 : 1));
}

}  // namespace predicted_step_test
