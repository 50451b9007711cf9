// SPDX-License-Identifier: BSL-1.0
// A channel: a ring, how to wait at it, how its stream ends, what it counts. It lives as long as one of its two ends
// does, and each end can be moved to the thread that uses it but not copied, so a second producer does not compile.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/queue/atomics.hpp>
#include <ipuflow/queue/consumer.hpp>
#include <ipuflow/queue/producer.hpp>
#include <ipuflow/queue/ring.hpp>
#include <ipuflow/queue/spsc_ring.hpp>
#include <ipuflow/queue/statistics.hpp>
#include <ipuflow/queue/stream_end.hpp>
#include <ipuflow/queue/waiting.hpp>
#include <ipuflow/queue/queue_fault.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::queue {

template <place_ring Ring, waiting Wait, class Statistics, class Atomics = standard_atomics>
struct channel {
  using ring_type = Ring;
  using value_type = typename Ring::value_type;
  using statistics_type = Statistics;

  Ring ring;
  alignas(cache_line) basic_stream_end<Atomics> ending{};
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

/// The first fault of a channel of these types.
template <class T, class Ring, class Wait, class... More>
constexpr queue_fault verify_channel() {
  if constexpr (!queueable<T>) {
    return {queue_wrong::not_an_object};
  } else if constexpr (!place_ring<Ring>) {
    return {queue_wrong::not_a_ring};
  } else if constexpr (!std::same_as<T, typename Ring::value_type>) {
    return {queue_wrong::other_items};
  } else if constexpr (!waiting<Wait>) {
    return {queue_wrong::not_waiting};
  } else {
    return {sizeof...(More) == 0 || std::is_constructible_v<Ring, std::size_t, More...> ? queue_wrong::nothing : queue_wrong::not_for_ring};
  }
}

namespace detail {

template <class Channel, class... More>
channel_ends<Channel> new_channel(std::size_t capacity, More&&... more) {
  auto shared = ipuflow::share<Channel>(capacity, std::forward<More>(more)...);
  return {producer<Channel>{shared}, consumer<Channel>{shared}};
}

}  // namespace detail

/// Makes a channel of items of type `T` and returns its ends. What follows the capacity goes to the ring.
template <class T, class Ring = spsc_ring<T>, class Wait = spin_then_yield, class Statistics = no_statistics,
          class... More>
  requires(!place_ring<T>)
[[nodiscard]] auto make_channel(std::size_t capacity, More&&... more) {
  constexpr queue_fault found = verify_channel<T, Ring, Wait, More...>();
  if constexpr (found) {
    accept<found>();
  } else {
    return detail::new_channel<channel<Ring, Wait, Statistics>>(capacity, std::forward<More>(more)...);
  }
}

/// The same with the ring first, whose items are the channel's: `make_channel<slot_ring<batch>>(3, make_batch)`.
template <place_ring Ring, class Wait = spin_then_yield, class Statistics = no_statistics, class... More>
[[nodiscard]] auto make_channel(std::size_t capacity, More&&... more) {
  constexpr queue_fault found = verify_channel<typename Ring::value_type, Ring, Wait, More...>();
  if constexpr (found) {
    accept<found>();
  } else {
    return detail::new_channel<channel<Ring, Wait, Statistics>>(capacity, std::forward<More>(more)...);
  }
}

/// No channel of a capacity that is not said.
template <class, class... Ways>
auto make_channel() {
  constexpr queue_fault found{sizeof...(Ways) < 3 ? queue_wrong::no_capacity : queue_wrong::nothing, 0, 1};
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
}

/// No channel of items whose type is not said.
template <auto... Nothing, class... Given>
auto make_channel(const Given&...) {
  constexpr queue_fault found{sizeof...(Nothing) == 0 ? queue_wrong::no_type : queue_wrong::nothing};
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
}

}  // namespace ipuflow::queue
