// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/search/frontier.hpp>
#include <ipuflow/schedule/search/restarts.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace restarts_test {

using namespace ipuflow::schedule;
using namespace ipuflow::test;

search_memory memory_with(search_memory memory, std::size_t limit) {
  memory.limits[0] = limit;
  return memory;
}

bool same(const searched& a, const searched& b) {
  if (a.span != b.span || a.makespan != b.makespan || a.peak_bytes != b.peak_bytes || a.iterations != b.iterations) return false;
  for (std::size_t ipu = 0; ipu < a.timetable.rows.size(); ++ipu) {
    if (a.timetable.rows[ipu].size() != b.timetable.rows[ipu].size()) return false;
    for (std::size_t i = 0; i < a.timetable.rows[ipu].size(); ++i) {
      if (!(a.timetable.rows[ipu][i] == b.timetable.rows[ipu][i])) return false;
    }
  }
  return true;
}

TEST_CASE("on any number of threads the same is found: the first of the best of all seeds") {
  const grid where{.ipus = 3, .stages = 6, .micro_batches = 7, .kind = layout::vee};
  for (const std::size_t limit : {8u, 12u, 60u}) {  // the last is proved by the first search or soon after
    const search_memory memory{{3, -1, -2}, limit};
    const costs c{5, 7, 3, 2};
    restart_options options{.each = {.iterations = 60, .seed = 9}, .searches = 5, .threads = 1};
    const searched one = search_with_restarts(where, c, memory, options);
    check_searched(one, where, c, memory);
    for (const std::size_t threads : {2u, 3u, 8u}) {
      options.threads = threads;
      CHECK(same(one, search_with_restarts(where, c, memory, options)));
    }
    bool among = false;
    for (std::size_t i = 0; i < options.searches; ++i) {
      search_options own = options.each;
      own.seed += i;
      const searched alone = search(where, c, memory, own);
      CHECK(one.found() <= alone.found());
      among = among || same(one, alone);
      if (alone.proved()) break;
    }
    CHECK(among);
  }
}

TEST_CASE("the search itself takes threads, and finds the same on one, two and four, with decisions and channels, too") {
  const grid where{.ipus = 4, .stages = 4, .micro_batches = 9};
  const costs c{4, 5, 3, 1};
  search_memory memory{{3, -2, -1}, 13};
  for (const bool decides : {false, true}) {
    if (decides) memory.recomputable.push_back({2});
    for (const std::size_t capacity : {std::size_t{1}, nowhere}) {
      const search_options options{.iterations = 80, .seed = 3, .capacity = capacity};
      const searched one = search(where, c, memory, options, on_cores{{.threads = 1}});
      check_searched(one, where, c, memory, capacity);
      for (const std::size_t threads : {2u, 4u, 0u}) {
        const searched other = search(where, c, memory, options, on_cores{{.threads = threads}});
        CHECK(same(one, other));
        CHECK(one.lower_bound == other.lower_bound);
      }
      CHECK(one.found() <= search(where, c, memory, options).found());
      CHECK(same(search(where, c, memory, options), search(where, c, memory, options, on_cores{{.searches = 1}})));
    }
  }
  const auto points = frontier(where, c, memory, {.each = {.iterations = 40}, .chosen = 3}, [] { return on_cores{}; });
  REQUIRE_FALSE(points.refused);
  for (const auto& point : points.points) check_searched(point.best, where, c, memory_with(memory, point.limit));
}

TEST_CASE("what is refused is refused once, a stop ends all, and what a cost throws comes out") {
  const grid where{.ipus = 2, .stages = 2, .micro_batches = 4};
  CHECK(search_with_restarts(where, costs{}, {{2, -1, -1}, 1}).refused.kind == search_wrong::no_room);
  const auto stopped = search_with_restarts(grid{.ipus = 4, .stages = 4, .micro_batches = 12}, costs{7, 5, 3, 2}, {{2, -1, -1}, 11}, {.searches = 3}, [] { return true; });
  CHECK_FALSE(stopped.refused);
  CHECK(stopped.iterations <= 2);
  struct thrower {
    std::size_t of(pass, std::size_t) const { throw std::runtime_error{"no cost"}; }
    std::size_t communication = 0;
  };
  CHECK_THROWS_WITH(static_cast<void>(search_with_restarts(where, thrower{}, {{2, -1, -1}, 4})), "no cost");
}

TEST_CASE("seeds are not begun once the time is over") {
  struct counting {
    std::atomic<std::size_t>* asked;
    std::size_t communication = 1;
    std::size_t of(pass, std::size_t) const { return asked->fetch_add(1) % 2 + 3; }
  };
  const grid where{.ipus = 3, .stages = 3, .micro_batches = 6};
  std::size_t of_one = 0;
  for (const std::size_t searches : {1u, 50u}) {
    std::atomic<std::size_t> asked{0};
    const searched found = search_with_restarts(where, counting{&asked}, {{2, -1, -1}, 4}, {.searches = searches, .threads = 1}, [] { return true; });
    CHECK((found.stopped || found.proved()));
    if (searches == 1) of_one = asked;
    CHECK(asked == of_one);
  }
}

TEST_CASE("where one search throws, the others end, and none is begun") {
  std::atomic<int> begun{0};
  const auto some_throw = [&](std::size_t i, const auto& ends) {
    ++begun;
    if (i == 1) throw std::runtime_error{"the second"};
    while (!ends()) std::this_thread::yield();  // for ever, unless it is told
    return false;
  };
  CHECK_THROWS_WITH(static_cast<void>(impl::run_searches(50, 2, some_throw)), "the second");
  CHECK(begun == 2);
}

}  // namespace restarts_test
