// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/planning/schedule_choice.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace schedule_choice_test {

using namespace ipuflow;

namespace {

plan::prediction taking(std::uint64_t cycles, std::uint32_t bytes) {
  plan::prediction p{.total = {cycles}, .clock = {1e9}, .samples = 10, .tile_memory = {1000}, .code_region = {500}};
  p.memory.resize(1);
  p.memory[0].bytes[plan::memory_use::stash] = bytes;
  return p;
}

}  // namespace

TEST_CASE("what fits is better than what does not, then what is faster, then what came first") {
  const std::vector<plan::schedule_steps> all(5);
  train::impl::schedule_choice best;
  const auto take = [&](std::size_t i, std::uint64_t cycles, std::uint32_t bytes) {
    best.take(std::to_string(i), all[i], taking(cycles, bytes));
    return best.name;
  };
  CHECK(take(0, 100, 2000) == "0");
  CHECK(take(1, 90, 2000) == "1");
  CHECK(take(2, 900, 100) == "2");
  CHECK(take(3, 80, 2000) == "2");
  CHECK(take(4, 900, 10) == "2");
  CHECK(best.steps == &all[2]);
  CHECK(best.fits);
}

TEST_CASE("what is to be kept free of a tile is asked for") {
  const std::vector<plan::schedule_steps> all(2);
  train::impl::schedule_choice best{.headroom = 0.5};
  best.take("slow", all[0], taking(100, 400));
  best.take("fast", all[1], taking(50, 600));
  CHECK(best.name == "slow");
}

TEST_CASE("schedules of the catalogue and those that are found with their costs are compared, those of other stages left out") {
  const std::vector<plan::schedule_steps> steps(3);
  const auto known = [&](const plan::configuration& c) { return c.schedule == "1f1b" ? &steps[0] : c.schedule == "zb1p" ? &steps[1] : nullptr; };
  for (const bool finds : {true, false}) {
    std::vector<std::string> searched;
    const train::impl::schedule_choice best = train::impl::choose_schedule(
        plan::configuration{.schedule = "search"}, known,
        [&](const plan::configuration&, const plan::schedule_steps& of) { return taking(&of == &steps[2] && finds ? 50 : 100, 10); },
        [&](const plan::configuration& c, const plan::schedule_steps& of, bool split) {
          CHECK(&of == &steps[split ? 1 : 0]);
          searched.push_back(c.schedule);
          return std::vector<const plan::schedule_steps*>(split ? 1 : 0, &steps[2]);
        });
    CHECK(searched == std::vector<std::string>{"1f1b", "zb1p"});
    CHECK(best.name == (finds ? "search, split backwards" : "1f1b"));
  }
}

}  // namespace schedule_choice_test
