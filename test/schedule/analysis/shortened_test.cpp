// SPDX-License-Identifier: BSL-1.0
// A short program keeps as many values as the long one that it stands for.
#include "../every_schedule.hpp"

#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/shortened.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace shortened_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

TEST_CASE("what is kept is what the whole program keeps") {
  for (const std::string_view name : {"zbv", "dualpipe", "dualpipev"}) {
    for (std::size_t ipus = 1; ipus <= 6; ++ipus) {
      for (std::size_t count = 1; count <= 40; ++count) {
        with_schedule(name, {.ipus = ipus, .micro_batches = count}, [&](const auto& t) {
          if constexpr (std::is_same_v<std::decay_t<decltype(t)>, program>) {
            if (t.refused) return;
            const auto whole = every::by_walking(t);
            for (const until life : {until::last_use, until::backward_inputs}) {
              CHECK(in_flight(t, life) == in_flight(whole, life));
              CHECK(peak(t, life) == peak(whole, life));
              CHECK(fifo_depths(t, life) == fifo_depths(whole, life));
            }
          }
        });
      }
    }
  }
}

TEST_CASE("it is as short for a million micro-batches as for a hundred") {
  for (const std::size_t count : {100u, 1'000'000u}) {
    CHECK(shortened(zbv({.ipus = 4, .micro_batches = count})).where.micro_batches == 2 * 4 + 1);
    CHECK(shortened(dualpipe({.ipus = 4, .micro_batches = count})).where.micro_batches <= 2 * 4 + 4);
  }
  CHECK(shortened(zbv({.ipus = 4, .micro_batches = 5})).where.micro_batches == 5);
}

TEST_CASE("a program that has other phases for other numbers is taken as it is") {
  program t = zbv({.ipus = 2, .micro_batches = 50});
  t.phases = [](const grid& where, std::size_t) {
    phase_list p;
    const std::size_t warm = where.micro_batches / 2;
    p.push_back({warm, {{beat{pass::forward, 0}}, 1}});
    p.push_back({where.micro_batches - warm, {{beat{pass::forward, 0}, beat{pass::backward, 0}}, 2}});
    p.push_back({warm, {{beat{pass::backward, 0}}, 1}});
    return p;
  };
  CHECK(shortened(t).where.micro_batches == 50);
  CHECK(peak(t)[0] == 26);
}

}  // namespace shortened_test
