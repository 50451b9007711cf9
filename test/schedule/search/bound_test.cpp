// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/mixed_bits.hpp>
#include <ipuflow/schedule/search/bound.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace bound_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

search_bound bound_for(const grid& where, const costs& c, const search_memory& memory, bool split) {
  const auto of = instance_of(where, c, memory, split);
  const auto back = mirrored(of);
  search_heads heads{of};
  search_heads tails{back};
  heads.run(20);
  tails.run(20);
  return bound_of(of, heads, tails, 0);
}

TEST_CASE("with joint backwards and the memory of 1F1B the makespan of 1F1B is the least") {
  for (std::size_t ipus = 1; ipus <= 6; ++ipus) {
    const grid where{.ipus = ipus, .stages = ipus, .micro_batches = 3 * ipus};
    const auto bound = bound_for(where, costs{}, {{}, ipus}, false);
    CHECK(bound.least == static_cast<amount>(3 * (3 * ipus + ipus - 1)));
  }
}

TEST_CASE("an IPU that works all the time is limited by its work, others by a path") {
  CHECK(bound_for({.ipus = 1, .stages = 1, .micro_batches = 5}, {2, 3, 4}, {{}, 5}, true).least == 45);
  const grid line{.ipus = 4, .stages = 4, .micro_batches = 1};
  CHECK(bound_for(line, {2, 3, 4, 1}, {{}, 1}, true).least == 4 * 2 + 4 * 3 + 6 + 4);
  CHECK(bound_for(line, {2, 3, 4, 1}, {{}, 1}, true).kind == limited_by::path);
}

TEST_CASE("the work of an IPU is over when the worst set of operations is: its least head, its work, its least tail") {
  for (std::size_t seed = 0; seed < 60; ++seed) {
    const auto draw = [&](std::size_t n, std::size_t of) { return ipuflow::mixed_bits(seed * 50 + of) % n; };
    const std::size_t ipus = 1 + draw(4, 1);
    const grid where{.ipus = ipus, .stages = (1 + draw(2, 2)) * ipus, .micro_batches = 1 + draw(7, 3), .kind = layout::vee};
    const auto of = instance_of(where, costs{draw(9, 4), 1 + draw(9, 5), draw(9, 6), draw(5, 7)}, {{2, -1, -1}, 4 * ipus}, true);
    const auto back = mirrored(of);
    search_heads heads{of};
    search_heads tails{back};
    heads.run(3);
    tails.run(3);
    for (amount* const times : {heads.start.data(), tails.start.data()}) {  // any heads that ascend in a lane will do
      for (std::size_t id = 0; id < of.operations(); ++id) {
        const amount before = id % where.micro_batches == 0 ? 0 : times[id - 1];
        times[id] = std::max(before, times[id] + static_cast<amount>(draw(20, 100 + id)));
      }
    }
    for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
      const std::size_t last = of.operations() - 1;
      amount worst = 0;
      const auto each = [&](auto visit) {
        for (const std::size_t l : of.of_ipu[ipu]) {
          for (std::size_t m = 0; m < where.micro_batches; ++m) {
            const std::size_t id = l * where.micro_batches + m;
            visit(heads.start[id], of.lanes[l].time, tails.start[last - id]);
          }
        }
      };
      each([&](amount head, amount, amount) {
        each([&](amount, amount, amount tail) {
          amount work = 0;
          bool any = false;
          each([&](amount h, amount time, amount t) {
            if (h < head || t < tail) return;
            work += time;
            any = true;
          });
          if (any) worst = std::max(worst, head + work + tail);
        });
      });
      CHECK(one_machine{of, heads, tails, ipu}.run() == worst);
    }
  }
}

}  // namespace bound_test
