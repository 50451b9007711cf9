// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/crew.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <set>
#include <thread>
#include <vector>

using ipuflow::run::crew;

TEST_CASE("a job is called once on each thread, run after run, and what it wrote is there afterwards") {
  for (std::size_t size = 1; size <= 8; ++size) {
    crew threads{size};
    REQUIRE(threads.size() == size);
    std::vector<std::size_t> calls(size);
    std::vector<std::thread::id> who(size);
    for (std::size_t round = 1; round <= 200; ++round) {
      threads.run([&](std::size_t i) {
        ++calls[i];
        who[i] = std::this_thread::get_id();
      });
      for (const std::size_t count : calls) REQUIRE(count == round);
    }
    CHECK(std::set(who.begin(), who.end()).size() == size);
    CHECK(who[0] == std::this_thread::get_id());
  }
}

TEST_CASE("the threads of a run run at the same time") {
  constexpr std::size_t size = 4;
  crew threads{size};
  std::atomic<std::size_t> arrived{0};
  threads.run([&](std::size_t) {
    ++arrived;
    while (arrived < size) std::this_thread::yield();
  });
  CHECK(arrived == size);
}

TEST_CASE("a crew that never runs anything ends") {
  for (std::size_t size = 0; size <= 8; ++size) CHECK(crew{size}.size() == (size == 0 ? 1 : size));
}

TEST_CASE("different jobs on one crew") {
  crew threads{3};
  std::atomic<std::size_t> sum{0};
  threads.run([&](std::size_t i) { sum += i; });
  threads.run([&sum](std::size_t i) { sum += 10 * i; });
  const auto constant = [&](std::size_t) { ++sum; };
  threads.run(constant);
  CHECK(sum == 3 + 30 + 3);
}
