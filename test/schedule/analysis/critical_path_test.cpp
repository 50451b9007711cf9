// SPDX-License-Identifier: BSL-1.0
// The critical path is a chain from the start to the end of the run without slack, and that of a closed form is that of the walk.
#include "../every_schedule.hpp"
#include "../handmade_programs.hpp"
#include "../random_costs.hpp"

#include <ipuflow/schedule/analysis/critical_path.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

namespace critical_path_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

namespace {

/// The micro-batches nearest above `count` that a schedule takes.
std::size_t allowed_count(std::string_view name, std::size_t stages, std::size_t count) {
  if (name == "grouped") return (count + 2 * stages - 1) / (2 * stages) * 2 * stages;
  if (name == "interleaved") return (count + stages - 1) / stages * stages;
  return name == "dualpipe" || name == "chimera" ? count + count % 2 : count;
}

/// Each operation takes its time, and starts when the one before it ends or its message is there.
template <class T, class Costs>
void check_chain(const T& t, const Costs& c, const repeating_path& path, std::size_t makespan) {
  REQUIRE(path.size() > 0);
  bool pairs = false;  // of two that run together one may have waited for the message of the other
  for (auto w = t.walk(0); w; ++w) pairs = pairs || w->with_next;
  std::size_t faults = 0;
  std::size_t count = 0;
  timed_op before{};
  for (const timed_op& o : path) {
    const std::size_t start = count == 0 ? 0 : before.span.finish;
    bool follows = o.span.start == start && (count == 0 || o.ipu == before.ipu || t.goes == pace::in_turn);
    const std::size_t own = c.of(o.kind, o.stage);
    if (count > 0 && o.ipu != before.ipu && (pairs || (read_from(t.where, o) == before.stage && o.micro_batch == before.micro_batch))) {
      follows = follows || o.span.start == start + impl::message_time(c, before.stage);
    }
    faults += follows && o.span.finish >= o.span.start + own ? 0u : 1u;
    before = o;
    ++count;
  }
  CHECK(faults == 0);
  CHECK(count == path.size());
  CHECK(path.back().span.finish == makespan);
}

void check_same(const repeating_path& path, const repeating_path& walked) {
  REQUIRE(path.size() == walked.size());
  std::size_t differ = 0;
  auto o = path.begin();
  for (const timed_op& other : walked) {
    differ += *o == other ? 0u : 1u;
    ++o;
  }
  CHECK(differ == 0);
}

template <class T, class Costs>
void check_as_walked(const T& t, const Costs& c, std::size_t to = nowhere) {
  times_and_path found;
  REQUIRE(impl::path_in_rounds(t, c, found, to));
  const times_and_path walked = impl::walked_path(every::by_walking(t), c, to);
  CHECK(found.time == walked.time);
  CHECK(found.time == times_of(t, c));
  check_chain(t, c, walked.path, to == nowhere ? walked.time.makespan : walked.time.ipu[to].last);
  check_same(found.path, walked.path);
}

}  // namespace

TEST_CASE("each operation of the path starts when the one before lets it") {
  for (const costs& c :
       {costs{}, costs{.forward = 3, .backward_inputs = 2, .backward_weights = 2, .communication = 1, .update = 5}}) {
    every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 9}, [&](auto, const setup&, const auto& t) {
      check_chain(t, c, critical_path(t, c), makespan(t, c));
    });
  }
}

TEST_CASE("of concurrent branches the path goes through the one that arrives last, whichever is asked first") {
  const costs c{.forward = 3, .backward_inputs = 2, .backward_weights = 2, .communication = 1};
  const auto check = [&](const auto& t) {
    REQUIRE_FALSE(t.refused);
    check_chain(t, c, critical_path(t, c), makespan(t, c));
    check_as_walked(t, c);
  };
  // The branch on the IPU that goes on sends no message, so the other one arrives later.
  check(grouped(devices(0, on_ipus(1, 2), 2), micro_batches<6>));
  check(grouped(devices(0, on_ipus(1, 2), 1), micro_batches<6>));
  check(grouped(devices(0, on_ipus(1, 2), 0, 3), micro_batches<160>));
  check(sequential(devices(0, on_ipus(1, 2), 1, 0), micro_batches<90>));
}

TEST_CASE("operation by operation the path of the walk: every schedule, 1 to 8 IPUs, 1 to 200 micro-batches, costs of all kinds") {
  reference::random_costs draw{1};
  std::size_t compared = 0;
  std::size_t bodies = 0;
  for (const std::string_view name : schedule_names) {
    for (std::size_t ipus = 1; ipus <= 8; ++ipus) {
      for (std::size_t chunks = 1; chunks <= (every::takes_chunks(name) ? 3u : 1u); ++chunks) {
        for (const std::size_t most : {20u, 60u, 200u, 200u, 200u}) {
          const std::size_t count = allowed_count(name, ipus * chunks, 1 + draw.below(most));
          with_schedule(name, {.ipus = ipus, .stages_per_ipu = every::takes_chunks(name) ? chunks : 0, .micro_batches = count}, [&](const auto& t) {
            if constexpr (impl::runs_in_rounds<std::decay_t<decltype(t)>>) {
              if (t.refused) return;
              auto c = draw.of_stages<32>(t.where.stages);
              for (auto& stage : c.stage) stage.update = draw.below(2) * draw.below(9);
              INFO(std::string{name}, " ", ipus, " ", chunks, " ", count);
              check_as_walked(t, c);
              ++compared;
              times_and_path found;
              impl::path_in_rounds(t, c, found);
              for (const path_piece& piece : found.path.pieces()) bodies += piece.times > 1 ? 1u : 0u;
            }
          });
        }
      }
    }
  }
  CHECK(compared > 1000);
  CHECK(bodies > 300);
}

TEST_CASE("to the end of each IPU the path of the walk, where the regime comes late and times meet on their way") {
  reference::random_costs draw{2};
  for (const std::size_t count : {100u, 300u, 1000u}) {
    for (const std::string_view name : {"1f1b", "eager_1f1b", "zb1p", "zb2p", "gpipe", "v_min", "zbv", "dualpipe", "dualpipev", "chimera", "inference"}) {
      with_schedule(name, {.ipus = 6, .micro_batches = count}, [&](const auto& t) {
        if constexpr (impl::runs_in_rounds<std::decay_t<decltype(t)>>) {
          INFO(std::string{name}, " ", count);
          for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
            check_as_walked(t, draw.nearly_equal<32>(t.where.stages), ipu);
            check_as_walked(t, draw.of_stages<32>(t.where.stages), ipu);
          }
        }
      });
    }
  }
}

TEST_CASE("the path of the walk where messages wait in hundreds") {
  reference::random_costs draw{4};
  for (const std::size_t ipus : {2u, 3u, 5u}) {
    for (const std::size_t chunks : {2u, 3u, 4u}) {
      const auto t = looped_bfs({.ipus = ipus, .stages_per_ipu = chunks, .micro_batches = 400 + 30 * ipus});
      for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
        check_as_walked(t, draw.nearly_equal<32>(t.where.stages), ipu);
        check_as_walked(t, draw.of_stages<32>(t.where.stages), ipu);
      }
    }
  }
}

TEST_CASE("a stage in both directions on one IPU has the path of the walk, which names its micro-batches") {
  reference::random_costs draw{5};
  for (const std::size_t ipus : {1u, 3u}) {
    const program t = handmade::program_of(&handmade::both_directions, ipus, 12000, layout::mirrored);
    const auto c = draw.of_stages<32>(ipus);
    const times_and_path found = times_and_path_of(t, c);
    const times_and_path walked = impl::walked_path(every::by_walking(t), c);
    CHECK(found.time == walked.time);
    check_same(found.path, walked.path);
  }
}

TEST_CASE("two that run together across the end of a phase have the path of the walk") {
  reference::random_costs draw{6};
  for (const std::size_t count : {4u, 30u, 500u}) {
    check_as_walked(handmade::program_of(&handmade::pairs_over_ends, 1, count), draw.of_stages<32>(1));
  }
}

TEST_CASE("a path through a thousand million micro-batches is as short as one through a thousand") {
  for (const std::string_view name : {"1f1b", "eager_1f1b", "zb1p", "zb2p", "gpipe", "v_min", "zbv", "dualpipe", "dualpipev", "chimera", "inference"}) {
    reference::random_costs draw{3};
    std::size_t listed[2]{};
    for (const std::size_t i : {0u, 1u}) {
      with_schedule(name, {.ipus = 4, .micro_batches = i == 0 ? 100'000u : 1'000'000'000u}, [&](const auto& t) {
        reference::random_costs same = draw;
        const auto c = same.of_stages<32>(t.where.stages);
        const times_and_path found = times_and_path_of(t, c);
        for (const path_piece& piece : found.path.pieces()) listed[i] += piece.ops.size();
        CHECK(found.time == times_of(t, c));
        CHECK(found.path[0].span.start == 0);
        CHECK(found.path.size() >= t.where.micro_batches);
        CHECK(found.path.back().span.finish == found.time.makespan);
      });
    }
    INFO(std::string{name});
    CHECK(listed[1] <= listed[0] + 1000);
  }
}

static_assert(critical_path(one_f_one_b({.ipus = 16, .micro_batches = 1'000'000})).back().span.finish == 3 * 1'000'000 + 3 * 15);

}  // namespace critical_path_test
