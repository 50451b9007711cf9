// SPDX-License-Identifier: BSL-1.0
// Sessions take what was searched for as they take any schedule, with costs that were measured in a traced step of another.
#include <ipuflow/chips.hpp>
#include <ipuflow/run/threads/traced_costs.hpp>
#include <ipuflow/schedule/search/search.hpp>
#include <ipuflow/train/session.hpp>

#include "small_network.hpp"

#include <doctest/doctest.h>

#include <cstddef>

namespace session_searched_test {

using namespace ipuflow;

TEST_CASE("a session with a searched schedule trains to the very weights of one with 1F1B, split or whole") {
  const auto known = schedule::one_f_one_b(test::small_network, micro_batches<8>);
  const auto o = test::small_options();
  run::trace events{100000};
  train::session first{test::small_network, known, train::sgd{.rate = 0.1f}, o, on::threads{.events = &events}};
  const test::made_up data{first.samples_per_step()};
  first(data);
  const auto costs = run::costs_in(events, known, 0);
  for (std::size_t stage = 0; stage < costs.stage.size(); ++stage) CHECK(costs.stage[stage].forward > 0);
  first(data);
  const schedule::roster where{known.where};
  for (const bool split : {false, true}) {
    const auto found = schedule::search(where, costs, {{}, 5}, {.split = split, .iterations = 50});
    REQUIRE_FALSE(found.refused);
    train::session second{test::small_network, found.timetable, train::sgd{.rate = 0.1f}, o};
    REQUIRE(second.samples_per_step() == data.size());
    for (int step = 0; step < 2; ++step) second(data);
    CHECK(second.parameters()->values == first.parameters()->values);
  }
}

TEST_CASE("a stage that a search recomputes is recomputed by threads and by chips, and trains to the same weights") {
  const auto o = test::small_options();
  const auto known = schedule::one_f_one_b(test::small_network, micro_batches<8>);
  train::session first{test::small_network, known, train::sgd{.rate = 0.1f}, o};
  const test::made_up data{first.samples_per_step()};
  for (int step = 0; step < 2; ++step) first(data);
  const schedule::roster where{known.where};
  schedule::search_memory memory{{4, 0, -4}, 8};
  memory.recomputable.push_back({1});
  for (const bool split : {false, true}) {
    const auto found = schedule::search(where, schedule::costs{4, 4, 4, 1}, memory, {.split = split, .iterations = 200});
    REQUIRE_FALSE(found.refused);
    CHECK(found.stash_of(0) == schedule::stash_choice::recomputed);
    train::session on_threads{test::small_network, found.timetable, train::sgd{.rate = 0.1f}, o};
    for (int step = 0; step < 2; ++step) on_threads(data);
    CHECK(on_threads.parameters()->values == first.parameters()->values);
    train::session on_chips{test::small_network, found.timetable, train::sgd{.rate = 0.1f}, o, on::chips{}};
    train::session chips_1f1b{test::small_network, known, train::sgd{.rate = 0.1f}, o, on::chips{}};
    for (int step = 0; step < 2; ++step) on_chips(data), chips_1f1b(data);
    CHECK(on_chips.parameters()->values == chips_1f1b.parameters()->values);
  }
}

}  // namespace session_searched_test
