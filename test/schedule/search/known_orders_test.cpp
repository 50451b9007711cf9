// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/mixed_bits.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/catalogue_points.hpp>
#include <ipuflow/schedule/generators/catalogue_tables.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>
#include <ipuflow/schedule/generators/zbv.hpp>
#include <ipuflow/schedule/search/known_orders.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

namespace known_orders_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::test;

constexpr activation_bytes each{3, -1, -2};

TEST_CASE("the orders of a timetable take the time that it takes, with whole backwards in halves where passes are split") {
  const grid line{.ipus = 4, .stages = 4, .micro_batches = 9}, vee{4, 8, 9, layout::vee};
  const costs c{5, 4, 3, 1};
  const auto time_of = [&](const table& t, const auto& where, bool split) {
    const impl::search_instance of = impl::instance_of(where, c, {each, 100}, split);
    const impl::search_orders orders = impl::orders_of(t, of);
    REQUIRE(orders.lanes.size() == of.operations());
    return static_cast<std::size_t>(impl::search_times{of}.run(orders).longest);
  };
  CHECK(time_of(tabulate(one_f_one_b({.ipus = 4, .micro_batches = 9})), line, false) == makespan(one_f_one_b({.ipus = 4, .micro_batches = 9}), c));
  CHECK(time_of(tabulate(zbv({.ipus = 4, .micro_batches = 9})), vee, true) == makespan(zbv({.ipus = 4, .micro_batches = 9}), c));
  CHECK(time_of(tabulate(one_f_one_b({.ipus = 4, .micro_batches = 9})), line, true) <= makespan(one_f_one_b({.ipus = 4, .micro_batches = 9}), c));  // the next stage waits for inputs alone
}

TEST_CASE("a timetable that is no order of the instance gives none") {
  const grid line{.ipus = 4, .stages = 4, .micro_batches = 9};
  const impl::search_instance of = impl::instance_of(line, costs{5, 4, 3, 1}, {each, 12}, true);
  const table right = tabulate(one_f_one_b({.ipus = 4, .micro_batches = 9}));
  CHECK(impl::orders_of(right, of).lanes.size() == of.operations());
  CHECK(impl::orders_of(tabulate(one_f_one_b({.ipus = 4, .micro_batches = 8})), of).lanes.empty());  // fewer micro-batches
  CHECK(impl::orders_of(tabulate(one_f_one_b({.ipus = 3, .micro_batches = 9})), of).lanes.empty());  // fewer IPUs
  CHECK(impl::orders_of(tabulate(zbv({.ipus = 4, .micro_batches = 9})), of).lanes.empty());          // more stages
  table other = right;
  other.rows[1].push_back(other.rows[1].back());
  CHECK(impl::orders_of(other, of).lanes.empty());  // a pass twice
  other = right;
  other.rows.pop_back();
  CHECK(impl::orders_of(other, of).lanes.empty());  // an IPU without a row
  other = right;
  other.rows[2][0].micro_batch = 1;
  CHECK(impl::orders_of(other, of).lanes.empty());  // another order of micro-batches
  other = right;
  const auto kept = other.rows[0];
  other.rows[0] = other.rows[1];
  other.rows[1] = kept;
  CHECK(impl::orders_of(other, of).lanes.empty());  // stages on other IPUs
  CHECK(impl::orders_of(right, impl::instance_of(line, costs{5, 4, 3, 1}, {each, 11}, true)).lanes.empty());  // less memory than it holds
  CHECK(impl::orders_of(tabulate(zbv({.ipus = 4, .micro_batches = 9})), impl::instance_of(grid{4, 8, 9, layout::vee}, costs{5, 4, 3, 1}, {each, 100}, false)).lanes.empty());  // halves
}

TEST_CASE("a search that begins with the catalogue is no worse than what of it fits") {
  std::size_t compared = 0;
  for (std::size_t seed = 0; seed < 40; ++seed) {
    const auto draw = [&](std::size_t n, std::size_t of) { return mixed_bits(seed * 50 + of + 77'000) % n; };
    const std::size_t ipus = 2 + draw(5, 1);
    const bool v = draw(2, 2) == 0;
    const grid where{ipus, (v ? 2 : 1) * ipus, 2 + draw(14, 3), v ? layout::vee : layout::loop};
    const costs c{1 + draw(9, 4), 1 + draw(9, 5), 1 + draw(9, 6), draw(4, 7)};
    const search_memory memory{each, 3 * (1 + draw(3 * ipus, 8))};
    const auto known = catalogue_tables(where, c);
    const searched found = search(where, c, memory, {.iterations = 3, .seed = seed, .known = &known});
    CAPTURE(seed);
    if (found.refused) continue;
    check_searched(found, where, c, memory);
    for (const table& t : known) {
      CHECK(!verify(t));
      if (peak_bytes(t, memory.stages) > memory.limits[0]) continue;
      CHECK(found.span <= impl::searched_time(t, c, search_metric::span));
      ++compared;
    }
  }
  CHECK(compared > 40);
}

TEST_CASE("keys of fewer micro-batches: their own before the cut and behind what is repeated, and a period apart in between") {
  const costs c{5, 4, 3, 1};
  const auto instance = [&](std::size_t micro_batches) { return impl::instance_of(grid{.ipus = 3, .stages = 3, .micro_batches = micro_batches}, c, {each, 9}, true); };
  const impl::search_instance few = instance(8), many = instance(20);
  const impl::search_orders orders = impl::orders_of(tabulate(one_f_one_b({.ipus = 3, .micro_batches = 8})), few);
  REQUIRE(!orders.lanes.empty());
  impl::search_times times{few};
  times.run(orders);
  impl::greedy_orders greedy{many};
  const impl::repeated_middle keys{few, orders};
  for (std::size_t cut = 1; cut < 8; ++cut) {
    for (std::size_t body = 1; body <= cut; ++body) {
      keys.write(greedy, many, cut, body);
      for (std::size_t l = 0; l < many.lanes.size(); ++l) {
        const auto start = [&](std::size_t m) { return times.end[l * 8 + m] - many.lanes[l].time; };
        for (std::size_t m = 0; m < 20; ++m) {
          const impl::amount key = greedy.key[l * 20 + m];
          if (m < cut) CHECK(key == start(m));
          else if (m >= cut + 12) CHECK(key == start(m - 12) + 12 * 12);  // an IPU works 12 for a micro-batch
          else CHECK(key == greedy.key[l * 20 + m - body] + 12 * static_cast<impl::amount>(body));
        }
      }
    }
  }
  impl::search_orders made;
  keys.write(greedy, many, 4, 1);
  REQUIRE(greedy.run(made, {}));
  CHECK(impl::search_times{many}.run(made).longest <= static_cast<impl::amount>(makespan(one_f_one_b({.ipus = 3, .micro_batches = 20}), c)));
}

}  // namespace known_orders_test
