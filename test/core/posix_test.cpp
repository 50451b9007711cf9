// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/posix.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace posix_test {

namespace posix = ipuflow::posix;

static_assert(!std::is_copy_constructible_v<posix::thread> && std::is_nothrow_move_constructible_v<posix::thread>);
static_assert(std::is_nothrow_move_assignable_v<posix::thread> && !std::is_copy_constructible_v<posix::mutex>);

TEST_CASE("a thread is joined where its object ends, and was another one") {
  int done = 0;
  std::thread::id where{};
  {
    const posix::thread made{[&] {
      where = std::this_thread::get_id();
      done = 1;
    }};
    CHECK(made.joinable());
  }
  CHECK((done == 1 && where != std::this_thread::get_id()));
}

TEST_CASE("a thread that is moved is joined once, and one that is replaced before") {
  std::atomic<bool> go{false};
  std::vector<int> order;
  posix::thread first{[&] {
    while (!go.load()) posix::yield();
    order.push_back(1);
  }};
  posix::thread second = std::move(first);
  CHECK((second.joinable() && !first.joinable()));
  go.store(true);
  second = posix::thread{[&] {}};
  CHECK(order == std::vector{1});
  second.join();
  CHECK(!second.joinable());
  second.join();
  posix::thread none;
  none = std::move(second);
  CHECK(!none.joinable());
}

TEST_CASE("what a thread holds is destroyed by it, before it is joined") {
  const auto kept = std::make_shared<int>(7);
  {
    posix::thread made{[held = kept, only = std::make_unique<int>(3)] { CHECK((*held == 7 && *only == 3)); }};
    made.join();
    CHECK(kept.use_count() == 1);
  }
  struct throws {
    throws() = default;
    throws(const throws&) { throw std::runtime_error{"copied"}; }
    void operator()() const {}
  };
  const throws work;
  CHECK_THROWS_WITH(posix::thread{work}, "copied");
}

TEST_CASE("a mutex lets one in at a time") {
  posix::mutex one;
  long sum = 0;  // changed without an atomic operation
  {
    std::vector<posix::thread> all;
    for (int t = 0; t < 4; ++t) {
      all.emplace_back([&] {
        for (int i = 0; i < 20'000; ++i) {
          const posix::lock held{one};
          ++sum;
        }
      });
    }
  }
  CHECK(sum == 80'000);
}

TEST_CASE("a lock takes any mutex and gives it back, also where something is thrown") {
  struct counted {
    int held = 0;
    void lock() { ++held; }
    void unlock() { --held; }
  } m;
  try {
    const posix::lock held{m};
    CHECK(m.held == 1);
    throw 1;
  } catch (int) {
  }
  CHECK(m.held == 0);
}

TEST_CASE("sleeping takes at least that long, and nothing for no time") {
  const auto start = std::chrono::steady_clock::now();
  posix::sleep_for(std::chrono::milliseconds{20});
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds{20});
  posix::sleep_for(std::chrono::nanoseconds{0});
  posix::sleep_for(std::chrono::seconds{-5});
}

TEST_CASE("cores are those that the thread may use, at most as many as the standard library counts") {
  CHECK(posix::cores() >= 1);
  const posix::core_set allowed = posix::allowed_cores();
  std::size_t count = 0;
  for (std::size_t c = 0; c < posix::core_set::most; ++c) count += allowed.has(c) ? 1u : 0u;
  CHECK(count == posix::cores());
  CHECK(posix::cores() <= std::thread::hardware_concurrency());
#if defined(CPU_COUNT)
  std::size_t on_one = 0;
  std::thread{[&] {
    cpu_set_t some;
    REQUIRE(sched_getaffinity(0, sizeof some, &some) == 0);
    std::size_t first = 0;
    while (!CPU_ISSET(first, &some)) ++first;
    CPU_ZERO(&some);
    CPU_SET(first, &some);
    REQUIRE(sched_setaffinity(0, sizeof some, &some) == 0);
    on_one = posix::cores();
    CHECK(posix::allowed_cores().has(first));
    CHECK_FALSE(posix::allowed_cores().has((first + 1) % posix::core_set::most));
  }}.join();
  CHECK(on_one == 1);
#endif
}

}  // namespace posix_test
