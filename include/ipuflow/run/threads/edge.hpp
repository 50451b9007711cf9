// SPDX-License-Identifier: BSL-1.0
// An edge lies between two stages: it is a ring that one lane fills and one or more lanes read, each at its own pace. A single
// reader may move out of what it reads; several see the same value, and its slot is free again when all have released it.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/queue/capacity.hpp>
#include <ipuflow/queue/spsc_ring.hpp>

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

namespace ipuflow::run {

template <class T, std::size_t Readers>
class edge {
 public:
  explicit edge(std::size_t capacity)
      : edge{queue::checked_capacity<std::optional<T>>(capacity), std::make_index_sequence<Readers>{}} {}

  /// Filling side: whether a value fits. A ring holds what its reader has not released, so if all have room, the oldest
  /// slot has been released by all.
  bool has_room() {
    for (auto& ring : rings_) {
      if (!ring.has_room()) return false;
    }
    return true;
  }
  /// Filling side: how many values are known to fit, none only if none does.
  std::size_t room() {
    std::size_t least = rings_[0].room();
    for (auto& ring : rings_) least = algorithms::min(least, ring.room());
    return least;
  }
  /// Filling side, where there is room. A value lives until its slot is used again. The last reader is given it first:
  /// who joins what the others make of a value finds the value itself when they are done, however the threads run.
  template <class... From>
  void push(From&&... from) {
    std::optional<T>& slot = slots_[next_];
    slot.emplace(std::forward<From>(from)...);
    next_ = next_ + 1 == slots_.size() ? 0 : next_ + 1;
    for (std::size_t reader = Readers; reader-- > 0;) (void)rings_[reader].try_push(&*slot);
  }
  void close() { closed_.store(true, std::memory_order_release); }  // partner: the acquire in over()

  /// Reading side: the oldest value that `reader` has not released, if there is one.
  T* front(std::size_t reader) {
    const auto seen = rings_[reader].peek(1);
    return seen.empty() ? nullptr : seen[0];
  }
  void release(std::size_t reader) { rings_[reader].release(1); }
  /// True if nothing is there and nothing will come.
  bool over(std::size_t reader) {
    return closed_.load(std::memory_order_acquire) && front(reader) == nullptr;  // partner: the release in close()
  }

 private:
  template <std::size_t... Reader>
  edge(std::size_t capacity, std::index_sequence<Reader...>)
      : slots_(capacity), rings_{queue::spsc_ring<T*>{(void(Reader), capacity)}...} {}

  dynamic_array<std::optional<T>> slots_;
  std::size_t next_ = 0;
  queue::spsc_ring<T*> rings_[Readers];
  std::atomic<bool> closed_{false};
};

template <class T>
class edge<T, 1> {
 public:
  explicit edge(std::size_t capacity) : ring_{capacity} {}

  bool has_room() { return ring_.has_room(); }
  std::size_t room() { return ring_.room(); }
  template <class... From>
  void push(From&&... from) {
    (void)ring_.try_emplace(std::forward<From>(from)...);  // there is room
  }
  void close() { closed_.store(true, std::memory_order_release); }  // partner: the acquire in over()

  T* front(std::size_t) { return ring_.front(); }
  void release(std::size_t) { ring_.release(1); }
  bool over(std::size_t) {
    return closed_.load(std::memory_order_acquire) && front(0) == nullptr;  // partner: the release in close()
  }

 private:
  queue::spsc_ring<T> ring_;
  std::atomic<bool> closed_{false};
};

}  // namespace ipuflow::run
