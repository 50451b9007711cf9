// SPDX-License-Identifier: BSL-1.0
// Counters of a channel. `no_statistics` is empty and costs no instruction.
#pragma once

#include <ipuflow/core/clock.hpp>
#include <ipuflow/queue/atomics.hpp>

#include <atomic>
#include <cstddef>

namespace ipuflow::queue {

/// The figures that a channel has counted so far.
struct channel_figures {
  std::size_t items = 0;                        ///< passed to the consumer
  std::size_t high_water = 0;                   ///< most that were in the ring when one was pushed
  std::chrono::nanoseconds producer_stalled{};  ///< time that the producer waited for room
  std::chrono::nanoseconds consumer_stalled{};  ///< time that the consumer waited for items
};

/// Statistics of a channel that counts nothing, and costs nothing.
struct no_statistics {
  static constexpr bool counts = false;
};

/// A sum or maximum with one writer, so that a load and a store suffice; any thread may read it.
template <class Number>
class figure {
 public:
  [[nodiscard]] Number value() const { return value_.load(order); }
  void add(Number more) { value_.store(value() + more, order); }
  void raise_to(Number level) {
    if (level > value()) value_.store(level, order);
  }

 private:
  static constexpr auto order = std::memory_order_relaxed;  // no partner: nothing is read that a figure would announce

  std::atomic<Number> value_{0};
};

class counted {
 public:
  static constexpr bool counts = true;

  void pushed(std::size_t in_ring) { high_water_.raise_to(in_ring); }
  void popped(std::size_t count) { items_.add(count); }
  void producer_waited(std::chrono::nanoseconds time) { producer_stalled_.add(time.count()); }
  void consumer_waited(std::chrono::nanoseconds time) { consumer_stalled_.add(time.count()); }

  [[nodiscard]] channel_figures figures() const {
    return {items_.value(), high_water_.value(), std::chrono::nanoseconds{producer_stalled_.value()},
            std::chrono::nanoseconds{consumer_stalled_.value()}};
  }

 private:
  using tick = std::chrono::nanoseconds::rep;

  alignas(cache_line) figure<std::size_t> high_water_;  // the producer's
  figure<tick> producer_stalled_;
  alignas(cache_line) figure<std::size_t> items_;  // the consumer's
  figure<tick> consumer_stalled_;
};

}  // namespace ipuflow::queue
