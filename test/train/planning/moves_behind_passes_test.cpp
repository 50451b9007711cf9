// SPDX-License-Identifier: BSL-1.0
#include "small_network.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/chips/cut_network.hpp>
#include <ipuflow/train/planning/moves_behind_passes.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace moves_behind_passes_test {

using namespace planning_test;
using schedule::pass;

namespace {

run::chips_profile counted(const train::cut_network& cut, const schedule::table& t, bool free, const schedule::stage_set& recompute = {}) {
  on::chips where{.system = ipu::pod(ipu::mk2, 2)};
  where.io_tiles = 16;
  if (free) where.sync = run::waits_for::neighbours;
  return train::count_step(cut, t, train::sgd{}, {.micro_batch = 2, .recompute = recompute}, where);
}

std::uint64_t moved_on(const run::chips_profile& seen, std::size_t chip) {
  std::uint64_t made = 0;
  for (const run::label_total& l : seen.totals()) {
    const bool move = l.what.work == run::chips_work::stash || l.what.work == run::chips_work::restore;
    if (move && l.what.chip == chip) made += l.busy.value;
  }
  return made;
}

}  // namespace

TEST_CASE("all that is kept and brought back is behind a pass, by kind and by the passes that follow") {
  const nn::network_on_tiles whole(network);
  const train::cut_network cut{whole, {3}};
  for (const std::string_view name : {"1f1b", "gpipe", "zb1p", "chimera"}) {
    for (const bool free : {false, true}) {
      CAPTURE(name);
      CAPTURE(free);
      const schedule::table t = schedule::with_schedule(name, {.ipus = 2, .micro_batches = 8}, [](const auto& s) { return schedule::tabulate(s); });
      const run::chips_profile seen = counted(cut, t, free);
      for (const std::size_t chip : {0u, 1u}) {
        light_vector<std::size_t> stages;
        for (std::size_t s = 0; s < 2; ++s)
          if (s == chip || t.where.crossed) stages.push_back(s);
        const auto counts = train::impl::passes_of_stages(t, chip, stages);
        const train::impl::moves_behind made = train::impl::moves_behind_passes(seen, chip, stages, t, counts);
        const auto behind = train::impl::cycles_behind(seen, chip, stages, t, counts);
        std::uint64_t all = 0, of_passes = 0;
        for (const train::impl::pass_counts& of : made.of_all)
          for (const std::uint64_t time : of) all += time;
        for (const std::uint64_t time : behind) of_passes += time;
        if (name == "gpipe") CHECK(all > 0);
        CHECK(all == moved_on(seen, chip));
        CHECK(all == of_passes);
        const auto number_of = [&](std::size_t stage) { return static_cast<std::size_t>(stage - stages.front()); };
        for (std::size_t i = 0; i < t.rows[chip].size(); ++i) {  // all are known
          const auto& of = made.between[number_of(t.rows[chip][i].stage)];
          const plan::counted_moves here = plan::moves_behind(t.rows[chip], i, number_of);
          CHECK(std::any_of(of.begin(), of.end(), [&](const plan::counted_moves& m) { return m.is_where(here); }));
        }
      }
    }
  }
}

TEST_CASE("a backward brings nothing for a forward behind it, one in the middle what the next reads, the last nothing") {
  const nn::network_on_tiles whole(network);
  const train::cut_network cut{whole, {3}};
  const schedule::table t = schedule::tabulate(schedule::one_f_one_b({.ipus = 2, .micro_batches = 8}));
  const light_vector<std::size_t> stages{0};
  const auto counts = train::impl::passes_of_stages(t, 0, stages);
  const train::impl::moves_behind made = train::impl::moves_behind_passes(counted(cut, t, true), 0, stages, t, counts);
  const auto time = [&](pass kind, plan::following_pass next, plan::following_pass then) {
    for (const plan::counted_moves& m : made.between[0])
      if (m.behind == kind && m.before[0] == next && m.before[1] == then) return m.time.value;
    return std::uint64_t{12345};
  };
  const plan::following_pass forward{0, pass::forward}, backward{0, pass::backward}, none{};
  CHECK(time(pass::backward, forward, backward) == 0);
  CHECK(time(pass::forward, backward, forward) > time(pass::forward, forward, backward));  // kept, and another one is brought
  CHECK(time(pass::backward, none, none) == 0);
  CHECK(time(pass::backward, backward, backward) == 12345);  // never
}

TEST_CASE("a pass that is made again belongs to the backward behind it") {
  const nn::network_on_tiles whole(network);
  const train::cut_network cut{whole, {3}};
  const schedule::table t = schedule::tabulate(schedule::one_f_one_b({.ipus = 2, .micro_batches = 8}));
  const light_vector<std::size_t> stages{0};
  const auto counts = train::impl::passes_of_stages(t, 0, stages);
  CHECK(train::impl::part_of(pass::recompute, counts[0]) == pass::backward);
  CHECK(train::impl::part_of(pass::forward, counts[0]) == pass::forward);
  const run::chips_profile seen = counted(cut, t, true, schedule::all_stages);
  const auto behind = train::impl::cycles_behind(seen, 0, stages, t, counts);
  std::uint64_t all = 0;
  for (const std::uint64_t time : behind) all += time;
  CHECK(all == moved_on(seen, 0));
  CHECK(behind.back() == 0);
}

}  // namespace moves_behind_passes_test
