// SPDX-License-Identifier: BSL-1.0
// What a channel can count about itself. `no_statistics` is empty and leaves no instruction behind.
#pragma once

#include <ipuflow/queue/atomics.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>

namespace ipuflow::queue {

struct channel_figures {
  std::size_t items = 0;       // passed to the consumer
  std::size_t high_water = 0;  // most that were in the ring when one was pushed
  std::chrono::nanoseconds producer_stalled{};
  std::chrono::nanoseconds consumer_stalled{};
};

struct no_statistics {
  static constexpr bool counts = false;
};

/// Each figure has one writer, so that a load and a store suffice; any thread may read. Nothing else is ordered by
/// them, so all orders are relaxed and have no partner.
class counted {
 public:
  static constexpr bool counts = true;

  void pushed(std::size_t in_ring) {
    if (in_ring > high_water_.load(std::memory_order_relaxed)) high_water_.store(in_ring, std::memory_order_relaxed);
  }
  void popped(std::size_t count) { add(items_, count); }
  void producer_waited(std::chrono::nanoseconds time) { add(producer_stalled_, time.count()); }
  void consumer_waited(std::chrono::nanoseconds time) { add(consumer_stalled_, time.count()); }

  channel_figures figures() const {
    return {items_.load(std::memory_order_relaxed), high_water_.load(std::memory_order_relaxed),
            std::chrono::nanoseconds{producer_stalled_.load(std::memory_order_relaxed)},
            std::chrono::nanoseconds{consumer_stalled_.load(std::memory_order_relaxed)}};
  }

 private:
  using tick = std::chrono::nanoseconds::rep;

  template <class Number>
  static void add(std::atomic<Number>& sum, Number more) {
    sum.store(sum.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }

  alignas(cache_line) std::atomic<std::size_t> high_water_{0};
  std::atomic<tick> producer_stalled_{0};
  alignas(cache_line) std::atomic<std::size_t> items_{0};
  std::atomic<tick> consumer_stalled_{0};
};

}  // namespace ipuflow::queue
