// SPDX-License-Identifier: BSL-1.0
// Boost.Lockfree's single-producer single-consumer queue as a ring of this library, with exactly the semantics of
// `spsc_ring`: for code that already uses it, and as the reference that our ring is tested and measured against. Boost
// keeps its items in one array of capacity + 1 slots, so they can be read in place; what is filled in place moves there
// at the commit. Not in the umbrella: include this header.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/lifetimes.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/queue/atomics.hpp>
#include <ipuflow/queue/capacity.hpp>
#include <ipuflow/queue/queue_fault.hpp>
#include <ipuflow/queue/ring.hpp>

#include <boost/lockfree/spsc_queue.hpp>

#include <cstddef>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::queue {

namespace impl {

template <class T>
struct boost_item_maker;

/// A slot of Boost's queue. Boost fills it with a copy of what it is given, which is always a maker: that makes the item in the slot
/// itself, so an item whose constructor throws was never there. The item's end is the business of `boost_ring`, which empties every
/// slot before Boost destroys it.
template <class T>
struct boost_slot {
  union {
    T item;
  };

  boost_slot() {}  // Boost's destructor wants an empty one, and to assign to it what is left: nothing
  boost_slot& operator=(const boost_slot&) { return *this; }

  boost_slot(const boost_slot& given) {
    const auto& maker = static_cast<const boost_item_maker<T>&>(given);
    maker.make(maker.with, __builtin_addressof(item));
  }
  ~boost_slot() {}
};

template <class T>
struct boost_item_maker : boost_slot<T> {
  void (*make)(const void* with, void* at);
  const void* with;

  template <class Make>
  explicit boost_item_maker(const Make& given)
      : make{[](const void* w, void* at) { (*static_cast<const Make*>(w))(at); }}, with{&given} {}
};

}  // namespace impl

template <class T>
class boost_ring {
 public:
  using value_type = T;

  explicit boost_ring(std::size_t capacity) : queue_{checked_capacity<T>(capacity)}, capacity_{capacity} {}

  boost_ring(const boost_ring&) = delete;
  boost_ring& operator=(const boost_ring&) = delete;
  ~boost_ring() { release(queue_.read_available()); }

  [[nodiscard]] std::size_t capacity() const { return capacity_; }

  /// Producer only. False if the ring is full: then nothing was constructed and no argument was moved from.
  template <class... Arguments>
  [[nodiscard]] bool try_emplace(Arguments&&... arguments) {
    const auto make = [&](void* at) { ::new (at) T(std::forward<Arguments>(arguments)...); };
    const impl::boost_item_maker<T> maker{make};
    return queue_.push(maker);
  }
  [[nodiscard]] bool try_push(T&& item) { return try_emplace(std::move(item)); }
  [[nodiscard]] bool try_push(const T& item) { return try_emplace(item); }

  /// Consumer only. False if the ring is empty: then `into` is untouched.
  [[nodiscard]] bool try_pop(T& into)
    requires std::is_move_assignable_v<T>
  {
    const auto take = [&](auto&& slot) {  // an rvalue where Boost is newer: 1.92 has it so, 1.83 does not
      into = std::move(slot.item);
      lifetimes::end(__builtin_addressof(slot.item));
    };
    const bool taken = queue_.consume_one(take);
    if (taken) step(1);
    return taken;
  }

  /// Consumer only. Empty if the ring is.
  [[nodiscard]] std::optional<T> try_pop() {
    std::optional<T> item;
    const auto take = [&](auto&& slot) {
      item.emplace(std::move(slot.item));
      lifetimes::end(__builtin_addressof(slot.item));
    };
    if (queue_.consume_one(take)) step(1);
    return item;
  }

  /// Producer only. Up to `count` items to be filled and committed; they move into the queue then. Where that may throw it is one
  /// item at a time, so a commit that throws has handed over nothing and can be repeated.
  [[nodiscard]] light_span<T> reserve(std::size_t count) {
    if constexpr (!std::is_nothrow_move_constructible_v<T>) count = algorithms::min<std::size_t>(count, 1);
    filling_.reserve(capacity_);  // once: a span that was given before stays where it is
    filling_.resize(algorithms::max(filling_.size(), algorithms::min(count, queue_.write_available())));
    return {__builtin_addressof(filling_.data()->item), algorithms::min(count, filling_.size())};
  }

  /// Producer only. Hands over the first `count` reserved items.
  void commit(std::size_t count) {
    if (count > filling_.size()) throw_if(queue_fault{queue_wrong::commit_too_large, count, filling_.size()});
    for (std::size_t i = 0; i < count; ++i) (void)try_push(std::move(filling_[i].item));
    filling_.clear();
  }

  /// Consumer only. Up to `count` items side by side, the oldest first; they stay in the ring until they are released.
  [[nodiscard]] light_span<T> peek(std::size_t count) {
    const std::size_t size = algorithms::min(count, queue_.read_available(), capacity_ + 1 - next_);
    return size == 0 ? light_span<T>{} : light_span<T>{__builtin_addressof(queue_.front().item), size};
  }

  /// Consumer only. Destroys the oldest `count` items and gives their slots back.
  void release(std::size_t count) {
    const std::size_t most = queue_.read_available();
    if (count > most) throw_if(queue_fault{queue_wrong::release_too_large, count, most});
    const auto end = [](auto&& slot) { lifetimes::end(__builtin_addressof(slot.item)); };
    for (std::size_t i = 0; i < count; ++i) queue_.consume_one(end);
    step(count);
  }

  /// Producer only: how many items fit.
  [[nodiscard]] std::size_t writable() { return queue_.write_available(); }
  /// Consumer only: how many items are there.
  [[nodiscard]] std::size_t readable() { return queue_.read_available(); }

 private:
  struct filled {  // of bool, too: a vector of those has none in it
    T item{};
  };
  static_assert(sizeof(impl::boost_slot<T>) == sizeof(T) && sizeof(filled) == sizeof(T));  // so that items lie side by side

  void step(std::size_t count) { next_ = (next_ + count) % (capacity_ + 1); }

  boost::lockfree::spsc_queue<impl::boost_slot<T>> queue_;
  std::size_t capacity_;
  alignas(cache_line) std::vector<filled> filling_;  // the producer's
  alignas(cache_line) std::size_t next_ = 0;    // the consumer's: where in Boost's array the oldest item is
};

}  // namespace ipuflow::queue
