// SPDX-License-Identifier: BSL-1.0
// Results on their way from the device to the host. While a thread follows, at most `depth` of them wait in a ring and
// the device waits for that thread; otherwise results that do not fit are kept on the host, so that a run can be read
// after it and no result is lost. Only that keeping takes a lock.
#pragma once

#include <ipuflow/core/posix.hpp>
#include <ipuflow/queue/atomics.hpp>
#include <ipuflow/queue/spsc_ring.hpp>
#include <ipuflow/queue/waiting.hpp>

#include <atomic>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

namespace ipuflow::feed {

namespace impl {

/// The parts of a buffer of results; a test puts a model of the memory in its place.
struct outfeed_parts : queue::standard_atomics {
  template <class T>
  using ring = queue::spsc_ring<T>;
  template <class T>
  using kept_items = std::deque<T>;
  using block = queue::block;
  using mutex = posix::mutex;
};

}  // namespace impl

template <class T, class Parts = impl::outfeed_parts>
class outfeed_buffer {
 public:
  explicit outfeed_buffer(std::size_t depth) : ring_{depth} {}

  /// Device side. Never refuses.
  void put(T&& item) {
    while (kept() > 0 || !ring_.try_push(std::move(item))) {
      if (!waits()) {
        keep(std::move(item));
        break;
      }
      room_.wait([this] { return !waits() || (kept() == 0 && ring_.writable() > 0); });
    }
    results_.wake();
  }

  /// Device side: no result comes any more.
  void close() {
    closed_.store(true, std::memory_order_release);  // partner: the acquire in closed()
    results_.wake();
  }
  void open() { closed_.store(false, std::memory_order_relaxed); }  // readers of now, if any, go on
  [[nodiscard]] bool closed() const {
    return closed_.load(std::memory_order_acquire);  // partner: the release in close()
  }

  /// Host side. Calls `give(T&&)` with the oldest result, if there is one; if that throws, it stays the oldest one.
  template <class Give>
  bool try_give(Give give) {
    bool given = give_of_ring(give);
    if (!given && kept() > 0) {  // the device keeps out of the ring until nothing is kept
      const posix::lock held{mutex_};
      given = give_of_ring(give);  // what came into the ring before anything was kept
      if (!given) {
        give(std::move(kept_items_.front()));
        kept_items_.pop_front();
        count_kept();
        given = true;
      }
    }
    if (given) room_.wake();
    return given;
  }
  /// The same, waiting for it: false only after the last one.
  template <class Give>
  bool give(Give give) {
    for (;;) {
      const bool last = closed();  // before the look, so that nothing can have come behind it
      if (try_give(give)) return true;
      if (last) return false;
      results_.wait([this] { return closed() || ring_.readable() > 0 || kept() > 0; });
    }
  }

  /// Host side. The oldest result, if there is one.
  [[nodiscard]] std::optional<T> try_take() {
    std::optional<T> item;
    try_give([&](T&& oldest) { item.emplace(std::move(oldest)); });
    return item;
  }
  /// Host side. The oldest result, waiting for it: nothing only after the last one.
  [[nodiscard]] std::optional<T> take() {
    std::optional<T> item;
    give([&](T&& oldest) { item.emplace(std::move(oldest)); });
    return item;
  }

  /// Host side: whether the device has to wait for a reader.
  void follow(bool followed) {
    followed_.store(followed, std::memory_order_release);  // partner: the acquire in followed()
    room_.wake();
  }
  /// Host side: whether there is a reader. If not, the thread that asks may be the next one: it sees how far others came.
  [[nodiscard]] bool followed() const {
    return followed_.load(std::memory_order_acquire);  // partner: the release in follow()
  }

 private:
  /// Device side.
  bool waits() const { return followed_.load(std::memory_order_relaxed); }  // no partner: it reads nothing by that

  /// Host side.
  template <class Give>
  bool give_of_ring(Give& give) {
    T* const oldest = ring_.front();
    if (oldest == nullptr) return false;
    give(std::move(*oldest));
    ring_.release(1);
    return true;
  }

  void keep(T&& item) {
    const posix::lock held{mutex_};
    kept_items_.push_back(std::move(item));
    count_kept();
  }

  // No partner: the mutex hands on what is kept, and wakes hand on the number.
  void count_kept() { kept_.store(kept_items_.size(), std::memory_order_relaxed); }
  std::size_t kept() const { return kept_.load(std::memory_order_relaxed); }

  typename Parts::template ring<T> ring_;
  alignas(queue::cache_line) typename Parts::block room_;
  alignas(queue::cache_line) typename Parts::block results_;
  alignas(queue::cache_line) typename Parts::template atomic<bool> followed_{false};
  typename Parts::template atomic<bool> closed_{false};
  typename Parts::template atomic<std::size_t> kept_{0};
  typename Parts::mutex mutex_;
  typename Parts::template kept_items<T> kept_items_;
};

}  // namespace ipuflow::feed
