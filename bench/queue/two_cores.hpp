// SPDX-License-Identifier: BSL-1.0
// Two threads, each pinned to a core, and what the two are apart: the bare round trip of one cache line.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

namespace queue_bench {

using clock_type = std::chrono::steady_clock;

/// The cores that this process may use.
inline const cpu_set_t& allowed_cores() {
  static const cpu_set_t allowed = [] {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    return set;
  }();
  return allowed;
}
inline int cores() { return CPU_COUNT(&allowed_cores()); }

inline void pin(std::size_t which) {
  const cpu_set_t& allowed = allowed_cores();
  std::size_t seen = 0;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || seen++ != which) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
  }
}

/// Nanoseconds until both are done, counted from when both are there; ending a thread is not part of it.
template <class Here, class There>
double nanoseconds_of(Here here, There there) {
  std::atomic<int> arrived{0};
  const auto meet = [&] {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();  // the other one may have to start on this core
  };
  clock_type::time_point there_done;
  std::thread other{[&] {
    pin(1);
    meet();
    there();
    there_done = clock_type::now();
  }};
  pin(0);
  meet();
  const auto start = clock_type::now();
  here();
  const auto here_done = clock_type::now();
  other.join();
  return std::chrono::duration<double, std::nano>(std::max(here_done, there_done) - start).count();
}

/// Nanoseconds of the bare round trip of one cache line.
inline double probe() {
  struct alignas(128) line {
    std::atomic<std::size_t> turn{0};
  };
  static std::array<line, 3> lines;
  std::atomic<std::size_t>& turn = lines[1].turn;
  constexpr std::size_t trips = 2000;
  turn = 0;
  const auto play = [&](std::size_t parity) {
    for (std::size_t i = parity; i < 2 * trips; i += 2) {
      while (turn.load(std::memory_order_acquire) != i) continue;
      turn.store(i + 1, std::memory_order_release);
    }
  };
  return nanoseconds_of([&] { play(0); }, [&] { play(1); }) / trips;
}

}  // namespace queue_bench
