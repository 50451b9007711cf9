// SPDX-License-Identifier: BSL-1.0
// The end of a channel that items go into. One thread uses it at a time; it can be moved to another one.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/clock.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/queue/queue_fault.hpp>
#include <ipuflow/queue/ring.hpp>
#include <ipuflow/queue/statistics.hpp>
#include <ipuflow/queue/stream_end.hpp>

#include <concepts>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

namespace ipuflow::queue {

template <class Channel>
class producer {
  static_assert(accept<impl::verify_end<Channel>()>());

 public:
  using value_type = typename Channel::value_type;

  explicit producer(shared<Channel> shared) : channel_{std::move(shared)} {}
  producer(producer&& other) noexcept : channel_{std::move(other.channel_)} {}
  producer(const producer&) = delete;  // ipuflow: a queue has one producer; std::move it, or make another queue
  producer& operator=(const producer&) = delete;  // ipuflow: a queue has one producer; std::move it
  producer& operator=(producer&& other) noexcept {
    producer before{std::move(other)};  // ends with what this end held
    algorithms::swap(before.channel_, channel_);
    return *this;
  }

  /// Closes the stream; stops it if an exception is what destroys the producer, since then the stream is not whole.
  /// Only exceptions thrown after the producer was constructed count: a stream begun and completed during unwinding is
  /// whole.
  ~producer() {
    if (!channel_ || channel_->ending.seen().by_producer()) return;
    if (std::uncaught_exceptions() > exceptions_before_) {
      stop();
    } else {
      close();
    }
  }

  [[nodiscard]] std::size_t capacity() const { return channel_->ring.capacity(); }

  /// True if the item went in; false, and the item untouched, if the queue is full or its stream stopped. Throws what
  /// the consumer failed with.
  template <class Item = value_type>
  [[nodiscard]] bool try_push(Item&& item)
    requires ring<typename Channel::ring_type>
  {
    constexpr queue_fault found{can_push<Item> ? queue_wrong::nothing : queue_wrong::no_item};
    if constexpr (found) {
      return accept<found>();
    } else {
      if (over(channel_->ending.seen()) || !put(std::forward<Item>(item))) return false;
      pushed();
      return true;
    }
  }

  /// The same, but waits for room: false only if the stream was stopped.
  template <class Item = value_type>
  bool push(Item&& item)
    requires ring<typename Channel::ring_type>
  {
    constexpr queue_fault found{can_push<Item> ? queue_wrong::nothing : queue_wrong::no_item};
    if constexpr (found) {
      return accept<found>();
    } else {
      while (!over(channel_->ending.seen())) {
        if (put(std::forward<Item>(item))) {
          pushed();
          return true;
        }
        wait();
      }
      return false;
    }
  }

  template <class Item>
  [[nodiscard]] bool try_push(Item&&)
    requires(!ring<typename Channel::ring_type>)
  {
    return accept<queue_fault{queue_wrong::filled_in_place, std::size_t{ring<typename Channel::ring_type>}, 1}>();
  }
  template <class Item>
  bool push(Item&&)
    requires(!ring<typename Channel::ring_type>)
  {
    return accept<queue_fault{queue_wrong::filled_in_place, std::size_t{ring<typename Channel::ring_type>}, 1}>();
  }

  /// Pushes all items, waiting as often as necessary. How many went in: fewer only if the stream was stopped.
  std::size_t push_all(light_span<const value_type> items)
    requires std::copyable<value_type>
  {
    std::size_t done = 0;
    if constexpr (ring<typename Channel::ring_type> && !std::default_initializable<value_type>) {  // no item stands in a free place
      while (done < items.size() && push(items[done])) ++done;
    } else {
      while (done < items.size()) {
        const light_span<value_type> place = reserve(items.size() - done);
        if (place.empty()) break;
        algorithms::copy_n(items.data() + done, place.size(), place.data());
        commit(place.size());
        done += place.size();
      }
    }
    return done;
  }

  std::size_t push_all(light_span<const value_type>)
    requires(!std::copyable<value_type>)
  {
    return accept<queue_fault{queue_wrong::only_moves, std::size_t{std::copyable<value_type>}, 1}>();
  }

  /// Up to `count` places side by side, to be filled and committed; empty if the queue is full or its stream stopped.
  [[nodiscard]] light_span<value_type> try_reserve(std::size_t count = 1) {
    if (over(channel_->ending.seen())) return {};
    return channel_->ring.reserve(count);
  }

  /// The same, but waits for at least one: empty only if the stream was stopped.
  [[nodiscard]] light_span<value_type> reserve(std::size_t count = 1) {
    while (!over(channel_->ending.seen())) {
      const light_span<value_type> place = channel_->ring.reserve(count);
      if (!place.empty() || count == 0) return place;
      wait();
    }
    return {};
  }

  /// Hands over the first `count` reserved places.
  void commit(std::size_t count = 1) {
    channel_->ring.commit(count);
    pushed();
  }

  /// Ends the stream after its last item.
  void close() { end_by(how_ended::closed); }
  /// Ends the stream at once: what the consumer has not taken yet, it will not get.
  void stop() { end_by(how_ended::producer_stopped); }
  /// Ends the stream after its last item with an exception, which is thrown at the consumer.
  void fail(std::exception_ptr error) {
    if (!channel_->ending.seen().by_producer()) channel_->ending.fail(how_ended::failed, std::move(error));
    channel_->items.wake();
  }

  /// True once the consumer wants no more.
  [[nodiscard]] bool stopped() const { return channel_->ending.seen().at_once(); }

  /// The figures that the channel has counted so far, if it has `counted` statistics.
  [[nodiscard]] channel_figures statistics() const
    requires Channel::statistics_type::counts
  {
    return channel_->statistics.figures();
  }

 private:
  template <class Item>
  static constexpr bool can_push = std::is_constructible_v<value_type, Item> && requires(typename Channel::ring_type& to, Item&& item) {
    to.try_push(std::forward<Item>(item));
  };

  /// False if the ring is full: then what becomes an item has not become one, and holds what it held.
  template <class Item>
  bool put(Item&& item) {
    typename Channel::ring_type& to = channel_->ring;
    if constexpr (std::is_same_v<std::remove_cvref_t<Item>, value_type>) {
      return to.try_push(std::forward<Item>(item));
    } else if constexpr (requires { to.try_emplace(std::forward<Item>(item)); }) {
      return to.try_emplace(std::forward<Item>(item));
    } else {
      return to.writable() > 0 && to.try_push(std::forward<Item>(item));
    }
  }

  bool over(endings seen) const {
    if (!seen.any()) [[likely]]
      return false;
    channel_->ending.rethrow_from_consumer(seen);
    if (!seen.at_once()) throw_if(queue_fault{queue_wrong::after_end});
    return true;
  }

  void pushed() {
    channel_->items.wake();
    if constexpr (Channel::statistics_type::counts) channel_->statistics.pushed(capacity() - channel_->ring.writable());
  }

  /// Until there is room or the stream ends.
  void wait() {
    const auto ready = [&] { return channel_->ring.writable() > 0 || channel_->ending.seen().any(); };
    if constexpr (Channel::statistics_type::counts) {
      const auto start = steady_clock::now();
      channel_->room.wait(ready);
      channel_->statistics.producer_waited(steady_clock::now() - start);
    } else {
      channel_->room.wait(ready);
    }
  }

  void end_by(how_ended how) {
    channel_->ending.set(how);
    channel_->items.wake();
  }

  shared<Channel> channel_;
  int exceptions_before_ = std::uncaught_exceptions();  // of this object, so a move does not hand it on
};

}  // namespace ipuflow::queue
