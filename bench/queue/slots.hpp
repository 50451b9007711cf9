// SPDX-License-Identifier: BSL-1.0
// Slots of 64 KiB from one thread to another: in place or copied once, by our ring, by an infeed, and as indices
// through Boost's. Each gives nanoseconds a slot.
#pragma once

#include "two_cores.hpp"

#include <ipuflow/feed/device/infeed.hpp>
#include <ipuflow/queue.hpp>

#include <benchmark/benchmark.h>
#include <boost/lockfree/spsc_queue.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <ranges>
#include <thread>
#include <vector>

namespace queue_bench {

namespace feed = ipuflow::feed;
namespace queue = ipuflow::queue;

using slot = std::array<std::uint64_t, 8192>;

inline void fill(slot& s, std::uint64_t seed) {
  for (std::size_t i = 0; i < s.size(); ++i) s[i] = seed + i;
}
std::uint64_t total(const slot& s) { return std::accumulate(s.begin(), s.end(), std::uint64_t{0}); }

/// In place on both sides, or filled beside the ring, where it stays hot, and copied in.
inline double our_slots(bool copied, std::size_t count) {
  queue::slot_ring<slot> ring{16};
  auto beside = std::make_unique<slot>();
  const double time = nanoseconds_of(
      [&] {
        for (std::size_t i = 0; i < count; ++i) {
          if (copied) fill(*beside, i);
          auto place = ring.reserve(1);
          for (; place.empty(); place = ring.reserve(1)) queue::relax();
          if (copied) {
            std::memcpy(&place[0], beside.get(), sizeof(slot));
          } else {
            fill(place[0], i);
          }
          ring.commit(1);
        }
      },
      [&] {
        std::uint64_t sum = 0;  // not beside what the producer reads
        for (std::size_t i = 0; i < count; ++i) {
          auto filled = ring.peek(1);
          for (; filled.empty(); filled = ring.peek(1)) queue::relax();
          sum += total(filled[0]);
          ring.release(1);
        }
        benchmark::DoNotOptimize(sum);
      });
  return time / static_cast<double>(count);
}

/// Boost passes the indices of free and filled slots.
inline double boost_slots(std::size_t count) {
  std::vector<slot> slots(16);
  boost::lockfree::spsc_queue<std::size_t> filled{16};
  boost::lockfree::spsc_queue<std::size_t> free{16};
  for (std::size_t i = 0; i < 16; ++i) free.push(i);
  const double time = nanoseconds_of(
      [&] {
        for (std::size_t i = 0; i < count; ++i) {
          std::size_t index = 0;
          while (!free.pop(index)) queue::relax();
          fill(slots[index], i);
          filled.push(index);
        }
      },
      [&] {
        std::uint64_t sum = 0;  // not beside what the producer reads
        for (std::size_t i = 0; i < count; ++i) {
          std::size_t index = 0;
          while (!filled.pop(index)) queue::relax();
          sum += total(slots[index]);
          free.push(index);
        }
        benchmark::DoNotOptimize(sum);
      });
  return time / static_cast<double>(count);
}

/// What an infeed's source gives it: either a slot's content, to be copied in, or what to fill the slot with.
struct content {
  const slot* words;
};
struct recipe {
  std::uint64_t seed;
};
struct sheet {
  slot words{};

  sheet() = default;
  sheet(content from) { *this = from; }
  sheet(recipe from) { *this = from; }
  sheet& operator=(content from) {
    std::memcpy(&words, from.words, sizeof words);
    return *this;
  }
  sheet& operator=(recipe from) {
    fill(words, from.seed);
    return *this;
  }
};

/// The thread of the infeed makes the first element before the clock starts: there it is pinned, and then waits.
template <class Given>
double infeed_slots(std::size_t count) {
  auto beside = std::make_unique<slot>();
  std::atomic<bool> started{false};
  auto source = std::views::iota(std::uint64_t{0}, std::uint64_t{count + 1}) | std::views::transform([&](auto i) {
                  if (i == 0) pin(1);
                  while (i == 1 && !started) std::this_thread::yield();
                  if constexpr (std::same_as<Given, content>) {
                    fill(*beside, i);
                    return content{beside.get()};
                  } else {
                    return recipe{i};
                  }
                });
  pin(0);
  feed::infeed<sheet> infeed{source, {.prefetch_depth = 16}};
  (void)infeed.next();
  std::uint64_t sum = total(infeed[0].words);
  const auto start = clock_type::now();
  started = true;
  while (infeed.next()) sum += total(infeed[0].words);
  const auto time = std::chrono::duration<double, std::nano>(clock_type::now() - start);
  benchmark::DoNotOptimize(sum);
  return time.count() / static_cast<double>(count);
}

}  // namespace queue_bench
