// SPDX-License-Identifier: BSL-1.0
// The end of a channel that items come out of. One thread uses it at a time; it can be moved to another one. It is a
// range: `for (auto&& item : out)` runs until the stream ends, and throws what the producer failed with. Items move out
// of the ring, or are read where they are if the ring's stay in place.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/clock.hpp>
#include <ipuflow/core/iterators.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/queue/queue_fault.hpp>
#include <ipuflow/queue/ring.hpp>
#include <ipuflow/queue/statistics.hpp>
#include <ipuflow/queue/stream_end.hpp>

#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace ipuflow::queue {

template <class Channel>
class consumer {
  static_assert(accept<impl::verify_end<Channel>()>());

 public:
  using value_type = typename Channel::value_type;
  class iterator;        // of a ring that items move out of
  class place_iterator;  // of any other

  explicit consumer(shared<Channel> shared) : channel_{std::move(shared)} {}
  consumer(consumer&&) noexcept = default;
  consumer(const consumer&) = delete;  // ipuflow: a queue has one consumer; std::move it, or make another queue
  consumer& operator=(const consumer&) = delete;  // ipuflow: a queue has one consumer; std::move it
  consumer& operator=(consumer&& other) noexcept {
    consumer before{std::move(other)};  // ends with what this end held
    algorithms::swap(before.channel_, channel_);
    return *this;
  }

  /// Stops the stream.
  ~consumer() {
    if (channel_) stop();
  }

  [[nodiscard]] std::size_t capacity() const { return channel_->ring.capacity(); }

  /// An item, or nothing if there is none at the moment or none ever again: `done` tells which. Throws what the
  /// producer failed with, after its last item.
  [[nodiscard]] std::optional<value_type> try_pop()
    requires ring<typename Channel::ring_type>
  {
    endings seen;
    return poll(seen);
  }

  /// The same into an object that is there already, which is faster. False if there was no item.
  [[nodiscard]] bool try_pop(value_type& into)
    requires ring<typename Channel::ring_type> && std::is_move_assignable_v<value_type>
  {
    const endings seen = channel_->ending.seen();
    if (!at_once(seen) && channel_->ring.try_pop(into)) [[likely]] {
      popped(1);
      return true;
    }
    finish(seen);
    return false;
  }

  /// An item, waiting for it: nothing only if the stream ended. Throws what the producer failed with. An item that throws when it is
  /// moved stays the oldest one.
  std::optional<value_type> pop()
    requires ring<typename Channel::ring_type>
  {
    endings seen;
    std::optional<value_type> item = poll(seen);
    if (!item && !seen.any()) take_oldest(item);
    return item;
  }

  /// The same into an object that is there already, which is faster. False only if the stream ended.
  bool pop(value_type& into)
    requires ring<typename Channel::ring_type> && std::is_move_assignable_v<value_type>
  {
    for (;;) {
      const endings seen = channel_->ending.seen();
      if (!at_once(seen) && channel_->ring.try_pop(into)) [[likely]] {
        popped(1);
        return true;
      }
      if (finish(seen)) return false;
      wait();
    }
  }

  [[nodiscard]] bool try_pop()
    requires(!ring<typename Channel::ring_type>)
  {
    return accept<queue_fault{queue_wrong::read_in_place, std::size_t{ring<typename Channel::ring_type>}, 1}>();
  }
  bool pop()
    requires(!ring<typename Channel::ring_type>)
  {
    return accept<queue_fault{queue_wrong::read_in_place, std::size_t{ring<typename Channel::ring_type>}, 1}>();
  }

  /// Moves as many items as there are, waiting for at least one. How many: 0 only if the stream ended. An item that throws when it is
  /// moved stays the oldest one: those before it are given, and the next call throws.
  std::size_t pop_some(light_span<value_type> into) {
    const light_span<value_type> items = peek(into.size());
    std::size_t moved = 0;
    if constexpr (std::is_nothrow_move_assignable_v<value_type>) {
      algorithms::move(items.begin(), items.end(), into.begin());
      moved = items.size();
    } else {
      try {
        for (; moved < items.size(); ++moved) into[moved] = std::move(items[moved]);
      } catch (...) {
        if (moved == 0) throw;
      }
    }
    release(moved);
    return moved;
  }

  /// Up to `count` items side by side, the oldest first, to be read in place and released; empty if there are none.
  [[nodiscard]] light_span<value_type> try_peek(std::size_t count = 1) {
    const endings seen = channel_->ending.seen();
    if (at_once(seen)) return {};
    const light_span<value_type> items = channel_->ring.peek(count);
    if (items.empty() && count > 0) finish(seen);
    return items;
  }

  /// The same, but waits for at least one: empty only if the stream ended.
  [[nodiscard]] light_span<value_type> peek(std::size_t count = 1) {
    for (;;) {
      const endings seen = channel_->ending.seen();
      if (at_once(seen)) return {};
      const light_span<value_type> items = channel_->ring.peek(count);
      if (!items.empty() || count == 0 || finish(seen)) return items;
      wait();
    }
  }

  /// Gives the oldest `count` items' places back to the producer.
  void release(std::size_t count = 1) {
    channel_->ring.release(count);
    popped(count);
  }

  /// Ends the stream at once: the producer's next push is false.
  void stop() { end_by(how_ended::consumer_stopped); }
  /// Ends the stream at once with an exception, which the producer's next push throws.
  void fail(std::exception_ptr error) {
    if (!channel_->ending.seen().by_consumer()) channel_->ending.fail(how_ended::consumer_failed, std::move(error));
    channel_->room.wake();
  }

  /// True if no item will ever come again.
  [[nodiscard]] bool done() const {
    const endings seen = channel_->ending.seen();
    return seen.at_once() || (seen.any() && channel_->ring.readable() == 0);
  }
  /// True if the stream was stopped rather than closed.
  [[nodiscard]] bool stopped() const { return channel_->ending.seen().at_once(); }

  /// The figures that the channel has counted so far, if it has `counted` statistics.
  [[nodiscard]] channel_figures statistics() const
    requires Channel::statistics_type::counts
  {
    return channel_->statistics.figures();
  }

  auto begin() {
    if constexpr (ring<typename Channel::ring_type>) {
      return iterator{*this};
    } else {
      return place_iterator{*this};
    }
  }
  range_end end() const { return {}; }

 private:
  /// An item, if there is one. The end is read before the ring, so that one seen here leaves no later item.
  std::optional<value_type> poll(endings& seen) {
    seen = channel_->ending.seen();
    std::optional<value_type> item = channel_->ring.try_pop();
    if (at_once(seen)) [[unlikely]]
      item.reset();  // items that were left in the ring are dropped
    if (item) {
      popped(1);
    } else {
      finish(seen);
    }
    return item;
  }

  /// An item, waiting for it, in the place of none. It is moved once, and released behind that.
  void take_oldest(std::optional<value_type>& item) {
    const light_span<value_type> oldest = peek();
    if (oldest.empty()) return;
    item.emplace(std::move(oldest.front()));
    release();
  }

  /// True if the stream was ended with no regard to items left in the ring.
  bool at_once(endings seen) const {
    if (!seen.at_once()) [[likely]]
      return false;
    if (!seen.by_consumer()) channel_->ending.rethrow_from_producer(seen);
    return true;
  }

  /// True if the stream, now found empty, had ended before.
  bool finish(endings seen) const {
    if (!seen.by_consumer()) channel_->ending.rethrow_from_producer(seen);
    return seen.any();
  }

  void popped(std::size_t count) {
    channel_->room.wake();
    if constexpr (Channel::statistics_type::counts) channel_->statistics.popped(count);
  }

  /// Until there is an item or the stream ends.
  void wait() {
    const auto ready = [&] { return channel_->ring.readable() > 0 || channel_->ending.seen().any(); };
    if constexpr (Channel::statistics_type::counts) {
      const auto start = steady_clock::now();
      channel_->items.wait(ready);
      channel_->statistics.consumer_waited(steady_clock::now() - start);
    } else {
      channel_->items.wait(ready);
    }
  }

  void end_by(how_ended how) {
    channel_->ending.set(how);
    channel_->room.wake();
  }

  shared<Channel> channel_;
};

/// Holds the item it stands at; moving it out of there is fine.
template <class Channel>
class consumer<Channel>::iterator {
 public:
  using value_type = typename Channel::value_type;
  using difference_type = std::ptrdiff_t;

  explicit iterator(consumer& from) : from_{&from}, item_{from.pop()} {}

  value_type& operator*() const { return *item_; }
  iterator& operator++() {
    item_.reset();
    if constexpr (!std::is_nothrow_move_constructible_v<value_type>) from_->take_oldest(item_);
    else if (auto next = from_->pop()) item_.emplace(std::move(*next));
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const iterator& at, range_end) { return !at.item_; }

 private:
  consumer* from_;
  mutable std::optional<value_type> item_;
};

/// Stands at the oldest item, in its place, which goes back to the producer when the loop goes on. What a loop stood at
/// when it was left is still the oldest item.
template <class Channel>
class consumer<Channel>::place_iterator {
 public:
  using value_type = typename Channel::value_type;
  using difference_type = std::ptrdiff_t;

  explicit place_iterator(consumer& from) : from_{&from}, at_{from.peek()} {}

  value_type& operator*() const { return at_.front(); }
  place_iterator& operator++() {
    from_->release();
    at_ = from_->peek();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const place_iterator& at, range_end) { return at.at_.empty(); }

 private:
  consumer* from_;
  light_span<value_type> at_;
};

}  // namespace ipuflow::queue
