// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/mixed_bits.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/search/search.hpp>
#include <instrumented.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <limits>

namespace search_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::test;

constexpr grid small{.ipus = 4, .stages = 4, .micro_batches = 8};
static_assert(search(small, costs{}, {{2, -1, -1}, 8}, {.iterations = 1}).span <= 30);

TEST_CASE("every row that is proved by enumeration is met in both metrics, and proved") {
  for (const published_search& row : published_searches) {
    if (row.method != "exact") continue;
    const auto span = search(where_of(row), costs_of(row), memory_of(row), {.iterations = 3000});
    CHECK(span.span == row.span);
    CHECK(span.proved());
    check_searched(span, where_of(row), costs_of(row), memory_of(row));
    const auto all = search(where_of(row), costs_of(row), memory_of(row), {.metric = search_metric::makespan, .iterations = 3000});
    CHECK(all.makespan == row.makespan);
    check_searched(all, where_of(row), costs_of(row), memory_of(row));
  }
}

TEST_CASE("rows of eight IPUs are never longer than published ones, within their memory") {
  std::size_t rows = 0;
  std::size_t shorter = 0;
  for (const published_search& row : published_searches) {
    if (row.ipus != 8 || row.vee || rows++ % 4 != 1) continue;
    const auto found = search(where_of(row), costs_of(row), memory_of(row), {.iterations = 2000});
    CHECK(found.span <= row.span);
    shorter += found.span < row.span ? 1u : 0u;
    check_searched(found, where_of(row), costs_of(row), memory_of(row));
  }
  CHECK(shorter >= 3);
}

struct unequal {
  std::size_t seed;
  [[nodiscard]] std::size_t of(pass kind, std::size_t stage) const {
    if (kind == pass::update || kind == pass::recompute) return 0;
    if (kind == pass::backward) return of(pass::backward_inputs, stage) + of(pass::backward_weights, stage);
    return 1 + mixed_bits(seed * 64 + stage * 8 + static_cast<std::size_t>(kind)) % 9;
  }
  [[nodiscard]] std::size_t communication_of(std::size_t stage) const { return mixed_bits(seed * 64 + stage * 8 + 7) % 4; }
};

/// Instances that a test draws: IPUFLOW_SEARCH_INSTANCES if it is set, for a soak.
std::size_t instances(std::size_t usual) {
  const char* const asked = std::getenv("IPUFLOW_SEARCH_INSTANCES");
  return asked == nullptr ? usual : static_cast<std::size_t>(std::atoll(asked));
}

TEST_CASE("random instances: what is found is verified, walked and held within each limit; the bound is below") {
  for (std::size_t seed = 0; seed < instances(400); ++seed) {
    const auto draw = [&](std::size_t n, std::size_t of) { return mixed_bits(seed * 100 + of) % n; };
    const std::size_t ipus = 1 + draw(5, 1);
    const std::size_t kind = draw(4, 2);
    roster where{grid{ipus, (kind == 0 ? 1 : 2) * ipus, 1 + draw(9, 3), kind == 1 ? layout::vee : layout::loop}};
    if (kind == 3) {  // any list
      for (std::size_t stage = 0; stage < where.stages; ++stage) where.home[stage] = where.crossing[stage] = draw(ipus, 10 + stage);
    }
    search_memory memory{{static_cast<std::ptrdiff_t>(2 + draw(3, 4)), -1, 0}, 0};
    memory.stages[0].after_weights = 1 - memory.stages[0].after_forward;
    std::size_t most = 1;
    for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
      std::size_t here = 0;
      for (std::size_t stage = 0; stage < where.stages; ++stage) here += where.home[stage] == ipu ? 1u : 0u;
      most = std::max(most, here);
    }
    memory.limits = dynamic_array<std::size_t>(ipus);
    const auto adds = static_cast<std::size_t>(memory.stages[0].after_forward);
    for (std::size_t ipu = 0; ipu < ipus; ++ipu) memory.limits[ipu] = adds * (most + draw(4, 30 + ipu));
    const unequal costs{seed};
    const search_options options{.metric = draw(2, 5) == 0 ? search_metric::span : search_metric::makespan,
                                 .split = draw(3, 6) > 0,
                                 .iterations = 150,
                                 .seed = seed};
    const auto found = search(where, costs, memory, options);
    CAPTURE(seed);
    check_searched(found, where, costs, memory);
    CHECK(found.makespan == makespan(found.timetable, costs));
    CHECK_FALSE(found.stopped);
  }
}

TEST_CASE("small ones are tried out: the bound is never above the shortest, and the search finds it") {
  std::size_t proved = 0;
  for (std::size_t seed = 0; seed < instances(60); ++seed) {
    const auto draw = [&](std::size_t n, std::size_t of) { return mixed_bits(seed * 77 + of + 5000) % n; };
    const grid where{.ipus = 2, .stages = 2, .micro_batches = 2 + draw(2, 1)};
    const search_memory memory{{2, -1, -1}, 2 + draw(4, 2)};
    const unequal costs{seed + 1000};
    const bool span = draw(2, 3) == 0;
    const std::size_t best = exhaustion{where, costs, memory, span}.best;
    const auto found =
        search(where, costs, memory, {.metric = span ? search_metric::span : search_metric::makespan, .iterations = 1500});
    CAPTURE(seed);
    CHECK(found.lower_bound <= best);
    CHECK(found.found() == best);
    proved += found.proved() ? 1u : 0u;
  }
  CHECK(3 * proved >= 2 * instances(60));
}

TEST_CASE("small ones with two stages an IPU are tried out, too") {
  for (std::size_t seed = 0; seed < instances(40); ++seed) {
    const std::size_t ipus = 1 + seed % 2;
    const grid where{ipus, 2 * ipus, 3 - ipus, seed % 4 < 2 ? layout::vee : layout::loop};
    const search_memory memory{{3, -1, -2}, 6 + seed % 5};
    const unequal costs{seed + 2000};
    const std::size_t best = exhaustion{where, costs, memory, false}.best;
    const auto found = search(where, costs, memory, {.metric = search_metric::makespan, .iterations = 600});
    CAPTURE(seed);
    CHECK(found.lower_bound <= best);
    CHECK(found.found() == best);
  }
}

TEST_CASE("the same seed finds the same; a whole backward is one pass; a search that is stopped says so") {
  const published_search& row = published_searches[1];
  const search_options options{.iterations = 300, .seed = 7};
  const auto one = search(where_of(row), costs_of(row), memory_of(row), options);
  const auto two = search(where_of(row), costs_of(row), memory_of(row), options);
  CHECK(one.span == two.span);
  for (std::size_t ipu = 0; ipu < row.ipus; ++ipu) {
    REQUIRE(one.timetable.rows[ipu].size() == two.timetable.rows[ipu].size());
    for (std::size_t i = 0; i < one.timetable.rows[ipu].size(); ++i) CHECK(one.timetable.rows[ipu][i] == two.timetable.rows[ipu][i]);
  }
  const auto joint = search(small, costs{}, {{}, 4}, {.metric = search_metric::makespan, .split = false, .iterations = 200});
  check_searched(joint, small, costs{}, {{}, 4});
  CHECK(joint.makespan == 33);  // that of 1F1B
  CHECK(joint.proved());
  const auto stopped = search(where_of(row), costs_of(row), memory_of(row), options, [] { return true; });
  CHECK(stopped.stopped);
  check_searched(stopped, where_of(row), costs_of(row), memory_of(row));
}

TEST_CASE("a search that is told to stop at once has an order of its own, however many micro-batches there are") {
  const activation_bytes each{.after_forward = 3, .after_inputs = -2, .after_weights = -1};
  for (const std::size_t micro_batches : {8u, 64u, 512u}) {
    if (is_instrumented && micro_batches > 64) continue;  // heads take their whole effort
    for (const layout kind : {layout::loop, layout::vee}) {
      const std::size_t stages = kind == layout::vee ? 16 : 8;
      const grid where{.ipus = 8, .stages = stages, .micro_batches = micro_batches, .kind = kind};
      const searched found = search(where, costs{.forward = 4, .backward_inputs = 5, .backward_weights = 3, .communication = 1}, {each, 40}, {}, [] { return true; });
      REQUIRE(!found.refused);
      CHECK(!verify(found.timetable));
      CHECK(found.lower_bound <= found.span);
      CHECK(found.span < micro_batches * stages * 12);  // shorter than one micro-batch after the other
    }
  }
}

TEST_CASE("one, two and three IPUs with more micro-batches than they have stages") {
  for (std::size_t ipus = 1; ipus <= 3; ++ipus) {
    for (const layout kind : {layout::loop, layout::vee}) {
      for (const std::size_t micro_batches : {3u, 7u, 8u, 17u}) {
        const std::size_t chunks = kind == layout::vee ? 2 : 1;
        const grid where{.ipus = ipus, .stages = chunks * ipus, .micro_batches = micro_batches, .kind = kind};
        for (const std::size_t limit : {1u, 2u, 3u, 5u, 40u}) {
          for (const std::size_t message : {0u, 2u}) {
            const costs c{.forward = 3, .backward_inputs = 5, .backward_weights = 2, .communication = message};
            const search_memory memory{{3, -1, -2}, 3 * chunks * limit};
            INFO(ipus, " IPUs, ", chunks, " stages on each, ", micro_batches, " micro-batches, room for ", limit, ", messages ", message);
            check_searched(search(where, c, memory, {.iterations = 400}), where, c, memory);
          }
        }
      }
    }
  }
}

TEST_CASE("sizes and times at the ends of numbers are refused, or searched without overflow") {
  const grid where{.ipus = 4, .stages = 4, .micro_batches = 6};
  constexpr std::ptrdiff_t most = std::numeric_limits<std::ptrdiff_t>::max();
  for (const activation_bytes& bytes : {activation_bytes{most, most, 2}, activation_bytes{most, -most, 0}, activation_bytes{-most - 1, most, 1}})
    CHECK(search(where, costs{}, {bytes, 40}).refused.kind == search_wrong::too_large);
  for (const std::size_t unit : {std::size_t{1} << 20, std::size_t{1} << 26, std::size_t{1} << 30}) {
    const costs c{.forward = 4 * unit, .backward_inputs = 5 * unit, .backward_weights = 3 * unit};
    for (const std::ptrdiff_t size : {std::ptrdiff_t{4} << 20, std::ptrdiff_t{100} << 20}) {
      for (const std::size_t limit : {std::numeric_limits<std::size_t>::max(), std::size_t{1} << 40, std::size_t{1} << 34}) {
        const searched found = search(where, c, {activation_bytes{3 * size, -2 * size, -size}, limit}, {.iterations = 300});
        if (found.refused) continue;
        CHECK(!verify(found.timetable));
        CHECK(found.lower_bound <= found.span);
      }
    }
  }
}

TEST_CASE("one that repeats a body unrolls to any number of micro-batches, within the same memory, in the time of its body") {
  for (const std::size_t kind : {0u, 1u, 2u}) {
    const grid where{3, kind == 0 ? 3u : 6u, 14, kind == 1 ? layout::vee : layout::loop};
    const unequal costs{kind + 70};
    const search_memory memory{{3, -1, -2}, kind == 0 ? 12u : 21u};
    const auto found = search(where, costs, memory, {.metric = search_metric::makespan, .repeating = true, .iterations = 150});
    check_searched(found, where, costs, memory);
    const repeating form = found.closed_form();
    REQUIRE(form);
    CHECK(makespan(form, costs) == found.makespan);
    std::size_t at[3] = {};
    for (std::size_t i = 0; i < 3; ++i) {
      const repeating longer = form.unrolled(14 + (100 + 24 * i) * form.each);
      REQUIRE_FALSE(longer.refused);
      CHECK_FALSE(verify(longer));
      const walked again = walk(tabulate(longer), longer.where, costs, memory);
      CHECK(again.over == 0);
      CHECK(again.peak == found.peak_bytes);  // the body holds no more than the ramps
      at[i] = makespan(longer, costs);
      CHECK(at[i] == again.makespan);
    }
    CHECK(at[2] - at[1] == at[1] - at[0]);  // a regime: 24 bodies take as long as the 24 before
  }
}

}  // namespace search_test
