// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/stash.hpp>

#include "small_network.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace stash_test {

using namespace ipuflow;

namespace {

template <class Field>
std::vector<std::size_t> each(const dynamic_array<train::impl::stash>& all, Field field) {
  std::vector<std::size_t> found;
  for (const auto& s : all) found.push_back(s.*field);
  return found;
}

using counts = std::vector<std::size_t>;

}  // namespace

TEST_CASE("what is kept is what the schedule was found to keep in flight") {
  constexpr auto grouped = schedule::grouped(test::small_network, micro_batches<16>);
  CHECK(each(train::impl::stashes_of(grouped), &train::impl::stash::in_flight) == counts{7, 5, 3, 1});
  constexpr auto one = schedule::one_f_one_b(test::small_network, micro_batches<16>);
  CHECK(each(train::impl::stashes_of(one), &train::impl::stash::in_flight) == counts{4, 3, 2, 1});
  CHECK(each(train::impl::stashes_of(one), &train::impl::stash::slopes) == counts{1, 1, 1, 1});
  CHECK(each(train::impl::stashes_of(one), &train::impl::stash::recomputed) == counts{0, 0, 0, 0});
}

TEST_CASE("recomputed activations live for a step; split backward passes keep gradients") {
  constexpr auto again =
      schedule::grouped(test::small_network, micro_batches<16>, {.recompute = schedule::recomputation::automatic});
  CHECK(each(train::impl::stashes_of(again), &train::impl::stash::in_flight) == counts{7, 5, 3, 1});
  const auto recomputed = each(train::impl::stashes_of(again), &train::impl::stash::recomputed);
  CHECK(recomputed[0] >= 1);
  CHECK(recomputed[0] <= 2);
  CHECK(recomputed[3] == 0);
  const auto slopes =
      each(train::impl::stashes_of(schedule::zb1p(schedule::setup_of(test::small_network, 16))), &train::impl::stash::slopes);
  CHECK(slopes[3] > 1);
}

TEST_CASE("a whole backward beside one that is split needs memory of its own") {
  train::impl::stage_census seen;
  using enum schedule::pass;
  for (const auto kind : {forward, forward, backward_inputs, backward, backward_weights}) seen.see(kind);
  CHECK(seen.split.most == 2);
  CHECK(seen.split.alive == 0);
  CHECK(seen.flights.most == 2);
  CHECK(seen.flights.alive == 0);
}

TEST_CASE("recomputing within the backward keeps nothing in between; a timetable in halves keeps activations") {
  using schedule::recomputation;
  constexpr auto within =
      schedule::grouped(test::small_network, micro_batches<16>, {.recompute = recomputation::and_backpropagate});
  for (const train::impl::stash& s : train::impl::stashes_of(within)) {
    CHECK(s.within);
    CHECK(s.recomputed == 0);
  }
  CHECK(each(train::impl::stashes_of(within), &train::impl::stash::in_flight) == counts{7, 5, 3, 1});
  auto halves = schedule::zb1p(schedule::setup_of(test::small_network, 16));
  halves.recompute = recomputation::and_backpropagate;
  for (const train::impl::stash& s : train::impl::stashes_of(halves)) CHECK_FALSE(s.within);
}

TEST_CASE("where an IPU does all of one stage before the next one, that much may be under way") {
  const auto t = schedule::looped_bfs(schedule::setup{2, 2, 8});
  const auto all = train::impl::stashes_of(t);
  CHECK(all[0].outgoing == 3);
  CHECK(all[1].outgoing >= 2);
  CHECK(all[3].outgoing == 1);
  const auto alone = schedule::sequential(schedule::devices(0, 0, 1), micro_batches<4>);
  CHECK(train::impl::stashes_of(alone)[0].outgoing == 3);
}

TEST_CASE("inference keeps nothing") {
  constexpr auto forwards = schedule::inference(test::small_network, micro_batches<8>);
  CHECK(each(train::impl::stashes_of(forwards), &train::impl::stash::in_flight) == counts{1, 1, 1, 1});
}

}  // namespace stash_test
