// SPDX-License-Identifier: BSL-1.0
// Channels of finite capacity, and the orders of groups that pass through those without room.
#include <ipuflow/core/mixed_bits.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>
#include <ipuflow/schedule/search/starts.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

#include <cstdlib>

namespace starts_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::test;

std::size_t instances(std::size_t usual) {
  const char* const asked = std::getenv("IPUFLOW_SEARCH_INSTANCES");
  return asked == nullptr ? usual : static_cast<std::size_t>(std::atoll(asked));
}

TEST_CASE("groups run to their end without room in channels, and one by one they hold what one micro-batch adds") {
  for (const layout kind : {layout::loop, layout::vee}) {
    for (std::size_t each = 1; each <= 7; ++each) {
      const grid where{3, kind == layout::vee ? 6u : 3u, 7, kind};
      impl::search_instance of = impl::instance_of(where, costs{4, 5, 3, 1}, {{3, -1, -2}, kind == layout::vee ? 6u : 3u}, true);
      of.capacity = 0;
      const impl::search_orders orders = impl::in_groups(of, each);
      CHECK(impl::search_times{of}.run(orders).longest < impl::endless);
      CHECK(impl::within_limits(of, orders) == (each == 1));
    }
  }
}

TEST_CASE("random instances with channels of little room: what is found runs to its end in them, in the time that is said") {
  for (std::size_t seed = 0; seed < instances(120); ++seed) {
    const auto draw = [&](std::size_t n, std::size_t of) { return mixed_bits(seed * 100 + of + 500'000) % n; };
    const std::size_t ipus = 1 + draw(5, 1);
    const std::size_t kind = draw(3, 2);
    const grid where{ipus, (kind == 0 ? 1 : 2) * ipus, 1 + draw(8, 3), kind == 1 ? layout::vee : layout::loop};
    search_memory memory{{3, -1, -2}, 3 * (kind == 0 ? 1 : 2) + draw(9, 4)};
    if (draw(3, 5) == 0) memory.recomputable.push_back({draw(3, 6)});
    if (draw(4, 7) == 0) memory.offloadable.push_back({draw(3, 8), draw(3, 9), draw(3, 10)});
    const std::size_t capacity = draw(4, 11);
    const costs c{1 + draw(6, 12), 1 + draw(6, 13), 1 + draw(6, 14), draw(4, 15)};
    const search_options options{.metric = draw(2, 16) == 0 ? search_metric::span : search_metric::makespan, .split = draw(3, 17) > 0, .iterations = 150, .seed = seed, .capacity = capacity};
    CAPTURE(seed);
    check_searched(search(where, c, memory, options), where, c, memory, capacity);
  }
}

TEST_CASE("small ones are tried out with channels, too") {
  std::size_t longer = 0;
  for (std::size_t seed = 0; seed < instances(40); ++seed) {
    const auto draw = [&](std::size_t n, std::size_t of) { return mixed_bits(seed * 77 + of + 9000) % n; };
    const grid where{.ipus = 2 + draw(2, 1), .stages = 2 + draw(2, 1), .micro_batches = 3 - draw(2, 1)};
    const search_memory memory{{2, -1, -1}, 2 + draw(4, 2)};
    const costs c{1 + draw(6, 3), 1 + draw(6, 4), 1 + draw(6, 5), draw(4, 6)};
    const std::size_t capacity = draw(3, 7);
    const std::size_t best = exhaustion{where, c, memory, false, {.capacity = capacity}}.best;
    const auto found = search(where, c, memory, {.metric = search_metric::makespan, .iterations = 1500, .capacity = capacity});
    CAPTURE(seed);
    CHECK(found.lower_bound <= best);
    CHECK(found.found() >= best);
    longer += found.found() > best ? 1u : 0u;
  }
  CHECK(100 * longer <= instances(40));  // none of few, one of a hundred in a soak
}

TEST_CASE("1F1B stops for ever without room in channels; what is found does not, and more room is never worse") {
  const grid where{.ipus = 4, .stages = 4, .micro_batches = 12};
  CHECK(verify_channels(one_f_one_b({.ipus = 4, .micro_batches = 12}), 0).kind == schedule_wrong::channel_deadlock);
  std::size_t before = static_cast<std::size_t>(-1);
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{1}, std::size_t{4}, nowhere}) {
    const search_memory memory{{3, -2, -1}, 15};
    const auto found = search(where, costs{4, 5, 3, 1}, memory, {.iterations = 1500, .capacity = capacity});
    check_searched(found, where, costs{4, 5, 3, 1}, memory, capacity);
    CHECK(found.span <= before);
    before = found.span;
  }
}

}  // namespace starts_test
