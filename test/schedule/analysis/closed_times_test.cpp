// SPDX-License-Identifier: BSL-1.0
// Times of closed forms are those of walking, for any costs; and there is no number of micro-batches that they cannot be had for.
#include "../every_schedule.hpp"
#include "../handmade_programs.hpp"
#include "../random_costs.hpp"

#include <ipuflow/schedule/analysis/closed_times.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/looped_bfs.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <string>

namespace closed_times_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

namespace {

template <class T, class Costs>
times in_rounds(const T& t, const Costs& c) {
  times found;
  for (std::size_t i = 0; i < t.where.ipus; ++i) found.ipu.push_back({});
  REQUIRE(impl::timed_in_rounds(t, c, [&](std::size_t ipu, std::size_t first, std::size_t last, std::size_t busy) {
    found.ipu[ipu] = {first, last, busy};
  }));
  return found;
}

template <class T, class Costs>
times walked(const T& t, const Costs& c) {
  times found;
  for (std::size_t i = 0; i < t.where.ipus; ++i) found.ipu.push_back({});
  CHECK_FALSE(impl::walked_times(every::by_walking(t), c, found));
  return found;
}

/// The micro-batches nearest above `count` that a schedule takes.
std::size_t allowed_count(std::string_view name, std::size_t stages, std::size_t count) {
  if (name == "grouped") return (count + 2 * stages - 1) / (2 * stages) * 2 * stages;
  if (name == "interleaved") return (count + stages - 1) / stages * stages;
  return name == "dualpipe" || name == "chimera" ? count + count % 2 : count;
}

}  // namespace

TEST_CASE("equal to the walk: every schedule, 1 to 8 IPUs, 1 to 200 micro-batches, costs of all kinds") {
  reference::random_costs draw{1};
  std::size_t compared = 0;
  for (const std::string_view name : schedule_names) {
    for (std::size_t ipus = 1; ipus <= 8; ++ipus) {
      for (std::size_t chunks = 1; chunks <= (every::takes_chunks(name) ? 3u : 1u); ++chunks) {
        for (const std::size_t most : {20u, 60u, 200u, 200u}) {
          const std::size_t count = allowed_count(name, ipus * chunks, 1 + draw.below(most));
          const std::size_t stages_per_ipu = every::takes_chunks(name) ? chunks : 0;
          with_schedule(name, {.ipus = ipus, .stages_per_ipu = stages_per_ipu, .micro_batches = count}, [&](const auto& t) {
            if constexpr (impl::runs_in_rounds<std::decay_t<decltype(t)>>) {
              if (t.refused) return;
              const auto c = draw.of_stages<32>(t.where.stages);
              INFO(std::string{name}, " ", ipus, " ", chunks, " ", count);
              CHECK(in_rounds(t, c) == walked(t, c));
              CHECK(in_rounds(t, impl::one_step_each{}) == walked(t, impl::one_step_each{}));
              ++compared;
            }
          });
        }
      }
    }
  }
  CHECK(compared > 500);
}

TEST_CASE("equal to the walk where one IPU is hardly slower than another, so that the regime comes late") {
  reference::random_costs draw{2};
  for (const std::size_t count : {300u, 1000u}) {
    for (const std::string_view name : {"1f1b", "zb1p", "zb2p", "gpipe", "v_min", "zbv", "dualpipe", "chimera", "inference"}) {
      with_schedule(name, {.ipus = 6, .micro_batches = count}, [&](const auto& t) {
        if constexpr (impl::runs_in_rounds<std::decay_t<decltype(t)>>) {
          const auto c = draw.nearly_equal<32>(t.where.stages);
          CHECK(in_rounds(t, c) == walked(t, c));
        }
      });
    }
  }
}

TEST_CASE("stages on lists of IPUs, several on one, and on two at once") {
  reference::random_costs draw{3};
  for (int i = 0; i < 20; ++i) {
    const auto c = draw.of_stages<32>(4);
    const auto shared = grouped(devices(0, on_ipus(1, 2), 0, 3), micro_batches<160>);
    CHECK(in_rounds(shared, c) == walked(shared, c));
    const auto turns = sequential(devices(0, on_ipus(1, 2), 1, 0), micro_batches<90>);
    CHECK(in_rounds(turns, c) == walked(turns, c));
  }
}

TEST_CASE("micro-batches without end: once the regime is there, equal numbers of them take equal times") {
  constexpr std::size_t many = 840 * 1'000'000'000ull;
  for (const std::string_view name : schedule_names) {
    reference::random_costs draw{4};
    std::size_t found[3]{};
    for (std::size_t i = 0; i < 3; ++i) {
      with_schedule(name, {.ipus = 4, .micro_batches = allowed_count(name, 4, (i + 1) * many / 4)}, [&](const auto& t) {
        if constexpr (impl::runs_in_rounds<std::decay_t<decltype(t)>>) {
          REQUIRE_FALSE(t.refused);
          reference::random_costs same = draw;
          found[i] = makespan(t, same.of_stages<32>(t.where.stages));
          CHECK(step_count(t) >= t.where.micro_batches);
        }
      });
    }
    INFO(std::string{name});
    CHECK(found[0] > many / 4);
    CHECK(found[2] - found[1] == found[1] - found[0]);
  }
}

TEST_CASE("all micro-batches of one stage before the next: messages that wait in thousands are known by a few numbers") {
  reference::random_costs draw{5};
  for (const std::size_t ipus : {2u, 3u, 5u}) {
    for (const std::size_t chunks : {2u, 3u, 4u}) {
      for (const std::size_t count : {300u, 777u, 2000u}) {
        const auto t = looped_bfs({.ipus = ipus, .stages_per_ipu = chunks, .micro_batches = count});
        const auto c = draw.of_stages<32>(t.where.stages);
        CHECK(in_rounds(t, c) == walked(t, c));
        const auto close = draw.nearly_equal<32>(t.where.stages);
        CHECK(in_rounds(t, close) == walked(t, close));
      }
      const auto c = draw.of_stages<32>(ipus * chunks);
      const auto until = [&](std::size_t count) { return makespan(looped_bfs({.ipus = ipus, .stages_per_ipu = chunks, .micro_batches = count}), c); };
      constexpr std::size_t many = 840 * 1'000'000ull;
      CHECK(until(3 * many) - until(2 * many) == until(2 * many) - until(many));
    }
  }
}

TEST_CASE("as many gradients by age as were put off, though most rounds were left out") {
  reference::random_costs draw{6};
  for (const std::size_t count : {20u, 300u, 5000u}) {
    program t = handmade::program_of(&handmade::weights_at_the_end, 3, count);
    t.settled = 12;
    REQUIRE_FALSE(verify(t));
    for (int i = 0; i < 10; ++i) {
      const auto c = draw.of_stages<32>(3);
      CHECK(in_rounds(t, c) == walked(t, c));
    }
  }
}

TEST_CASE("two that run together across the end of a phase, or read one link") {
  reference::random_costs draw{7};
  for (const std::size_t count : {4u, 20u, 600u}) {
    for (const program& t : {handmade::program_of(&handmade::pairs_over_ends, 1, count), handmade::program_of(&handmade::pairs_of_one_link, 2, count)}) {
      REQUIRE_FALSE(verify(t));
      for (int i = 0; i < 10; ++i) {
        const auto c = draw.of_stages<32>(t.where.stages);
        CHECK(in_rounds(t, c) == walked(t, c));
      }
    }
  }
}

TEST_CASE("steps that are no order of what is read are not timed in rounds") {
  auto t = one_f_one_b({.ipus = 3, .micro_batches = 10});
  t[pass::forward].at = 2;
  t[pass::forward].per_stage = -1;  // before the stage that they read
  const auto ignore = [](std::size_t, std::size_t, std::size_t, std::size_t) {};
  CHECK_FALSE(impl::timed_in_rounds(t, costs{}, ignore));
  CHECK_FALSE(impl::timed_in_rounds(one_f_one_b({.ipus = 0, .micro_batches = 10}), costs{}, ignore));
}

static_assert(makespan(one_f_one_b({.ipus = 16, .micro_batches = 1'000'000})) == 3 * 1'000'000 + 3 * 15);

}  // namespace closed_times_test
