// SPDX-License-Identifier: BSL-1.0
// What a pair of threads does with a queue of items: one by one, in bulk, to and fro. Each gives nanoseconds an item.
#pragma once

#include "contestants.hpp"
#include "two_cores.hpp"

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace queue_bench {

template <class Queue, class T>
double singles(std::size_t capacity, std::size_t count) {
  alignas(128) Queue q{capacity};
  const double time = nanoseconds_of(
      [&] {
        for (std::size_t i = 0; i < count; ++i) {
          while (!q.try_push(make(i, static_cast<T*>(nullptr)))) queue::relax();
        }
      },
      [&] {
        std::uint64_t sum = 0;  // not beside what the producer reads
        T item{};
        for (std::size_t i = 0; i < count; ++i) {
          while (!q.try_pop(item)) queue::relax();
          sum += read(item);
        }
        benchmark::DoNotOptimize(sum);
      });
  return time / static_cast<double>(count);
}

template <class Queue>
double bulks(std::size_t capacity, std::size_t count) {
  alignas(128) Queue q{capacity};
  const double time = nanoseconds_of(
      [&] {
        for (std::size_t done = 0; done < count;) {
          const std::size_t more = q.push_bulk(done);
          if (more == 0) queue::relax();
          done += more;
        }
      },
      [&] {
        std::uint64_t sum = 0;  // not beside what the producer reads
        for (std::size_t done = 0; done < count;) {
          const std::size_t more = q.pop_bulk(sum);
          if (more == 0) queue::relax();
          done += more;
        }
        benchmark::DoNotOptimize(sum);
      });
  return time / static_cast<double>(count);
}

template <class Queue>
double round_trips(std::size_t count) {
  alignas(128) Queue there{1024};
  alignas(128) Queue back{1024};
  const double time = nanoseconds_of(
      [&] {
        std::uint64_t item = 0;
        for (std::size_t i = 0; i < count; ++i) {
          while (!there.try_push(i)) continue;
          while (!back.try_pop(item)) continue;
        }
      },
      [&] {
        std::uint64_t item = 0;
        for (std::size_t i = 0; i < count; ++i) {
          while (!there.try_pop(item)) continue;
          while (!back.try_push(item)) continue;
        }
      });
  return time / static_cast<double>(count);
}

}  // namespace queue_bench
