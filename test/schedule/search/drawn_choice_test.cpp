// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/search/drawn_choice.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

namespace drawn_choice_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;
using namespace ipuflow::test;

TEST_CASE("what is drawn leaves room for a micro-batch, waits no longer than a pass, and is the same for the same seed") {
  for (const bool vee : {false, true}) {
    const grid where{3, vee ? 6u : 3u, 7, vee ? layout::vee : layout::loop};
    const search_instance of = instance_of(where, costs{4, 5, 3, 1}, {{3, -1, -2}, 30}, true);
    search_random random{5}, again{5};
    std::size_t spared = 0, chunks = 0, blocked = 0;
    for (std::size_t n = 0; n < 2000; ++n) {
      const greedy_choice by = drawn_choice(of, random), same = drawn_choice(of, again);
      const amount spare = drawn_spare(of, random);
      CHECK(spare == drawn_spare(of, again));
      CHECK((by.patience == same.patience && by.weights == same.weights && by.room == same.room && by.first_chunk == same.first_chunk));
      CHECK((by.patience >= 0 && by.patience <= 256 && by.weights >= 0 && by.weights <= 256 && by.room >= 0));
      CHECK((spare >= 0 && spare + of.largest() <= of.most_room()));
      CHECK((by.first_chunk >= 0 && by.first_chunk <= of.most_room()));
      spared += spare > 0 ? 1 : 0, chunks += by.first_chunk > 0 ? 1 : 0, blocked += by.blocks ? 1 : 0;
    }
    CHECK(spared > 1000);
    CHECK((chunks > 500) == vee);
    CHECK(blocked == 0);  // channels have room for all
  }
}

}  // namespace drawn_choice_test
