// SPDX-License-Identifier: BSL-1.0
// A channel: a ring, how to wait at it, how its stream ends, what it counts. It lives as long as one of its two ends
// does, and each end can be moved to the thread that uses it but not copied, so a second producer does not compile.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/queue/consumer.hpp>
#include <ipuflow/queue/ending.hpp>
#include <ipuflow/queue/producer.hpp>
#include <ipuflow/queue/ring.hpp>
#include <ipuflow/queue/spsc_ring.hpp>
#include <ipuflow/queue/statistics.hpp>
#include <ipuflow/queue/waiting.hpp>
#include <ipuflow/queue/wrong.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace ipuflow::queue {

template <place_ring Ring, waiting Wait, class Statistics>
struct channel {
  using ring_type = Ring;
  using value_type = typename Ring::value_type;
  using statistics_type = Statistics;

  Ring ring;
  alignas(cache_line) ending end{};
  alignas(cache_line) Wait items{};  // the consumer waits here
  alignas(cache_line) Wait room{};   // the producer waits here
  [[no_unique_address]] Statistics statistics{};

  template <class... More>
  explicit channel(std::size_t capacity, More&&... more) : ring(capacity, std::forward<More>(more)...) {}
};

/// Both ends of a channel.
template <class Channel>
struct channel_ends {
  producer<Channel> in;
  consumer<Channel> out;
};

/// Makes a channel and returns its ends. What follows the capacity goes to the ring, as a slot_ring's maker of slots.
template <class T, class Ring = spsc_ring<T>, class Wait = spin_then_yield, class Statistics = no_statistics,
          class... More>
auto make_channel(std::size_t capacity, More&&... more) {
  if constexpr (queueable<T>) {
    using channel_type = channel<Ring, Wait, Statistics>;
    auto shared = std::make_shared<channel_type>(capacity, std::forward<More>(more)...);
    return channel_ends<channel_type>{producer<channel_type>{shared}, consumer<channel_type>{shared}};
  } else {
    accept<fault{queue_wrong::not_an_object, std::size_t{0}, std::size_t{queueable<T>}, std::size_t{1}}>();
  }
}

}  // namespace ipuflow::queue
