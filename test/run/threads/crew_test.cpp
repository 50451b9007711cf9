// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/threads/crew.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace crew_test {

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

TEST_CASE("what a job throws comes out when all are done, of several the one with the lowest number, and is forgotten") {
  crew threads{4};
  for (std::size_t first = 0; first < 4; ++first) {
    std::atomic<std::size_t> calls{0};
    const auto fails = [&](std::size_t i) {
      ++calls;
      if (i >= first) throw std::runtime_error{std::to_string(i)};
    };
    CHECK_THROWS_WITH_AS(threads.run(fails), std::to_string(first).c_str(), std::runtime_error);
    CHECK(calls == 4);
    CHECK_NOTHROW(threads.run([&](std::size_t) { ++calls; }));
    CHECK(calls == 8);
  }
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

}  // namespace crew_test
