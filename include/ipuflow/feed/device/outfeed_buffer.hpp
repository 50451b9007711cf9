// SPDX-License-Identifier: BSL-1.0
// Results on their way from the device to the host. While a thread follows, at most `depth` of them wait in a ring and
// the device waits for that thread; otherwise results that do not fit are kept on the host, so that a run can be read
// after it and no result is lost. Only that keeping takes a lock.
#pragma once

#include <ipuflow/queue/spsc_ring.hpp>
#include <ipuflow/queue/waiting.hpp>

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace ipuflow::feed {

template <class T>
class outfeed_buffer {
 public:
  explicit outfeed_buffer(std::size_t depth) : ring_{depth} {}

  /// Device side. Never refuses.
  void put(T&& item) {
    while (kept() > 0 || !ring_.try_push(std::move(item))) {
      if (!followed()) {
        keep(std::move(item));
        break;
      }
      room_.wait([this] { return !followed() || (kept() == 0 && ring_.writable() > 0); });
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

  /// Host side. The oldest result, if there is one.
  [[nodiscard]] std::optional<T> try_take() {
    std::optional<T> item = ring_.try_pop();
    if (!item && kept() > 0) {  // the device keeps out of the ring until nothing is kept
      const std::lock_guard lock{mutex_};
      item = ring_.try_pop();  // what came into the ring before anything was kept
      if (!item) {
        item.emplace(std::move(kept_items_.front()));
        kept_items_.pop_front();
        count_kept();
      }
    }
    if (item) room_.wake();
    return item;
  }

  /// Host side. The oldest result, waiting for it: nothing only after the last one.
  [[nodiscard]] std::optional<T> take() {
    for (;;) {
      const bool last = closed();  // before the look, so that nothing can have come behind it
      std::optional<T> item = try_take();
      if (item || last) return item;
      results_.wait([this] { return closed() || ring_.readable() > 0 || kept() > 0; });
    }
  }

  /// Host side: whether the device has to wait for a reader.
  void follow(bool followed) {
    followed_.store(followed, std::memory_order_release);  // partner: the acquire in followed()
    room_.wake();
  }
  [[nodiscard]] bool followed() const {
    return followed_.load(std::memory_order_acquire);  // partner: the release in follow()
  }

 private:
  void keep(T&& item) {
    const std::lock_guard lock{mutex_};
    kept_items_.push_back(std::move(item));
    count_kept();
  }

  void count_kept() { kept_.store(kept_items_.size(), std::memory_order_release); }  // partner: the acquire in kept()
  std::size_t kept() const { return kept_.load(std::memory_order_acquire); }         // partner: the release above

  queue::spsc_ring<T> ring_;
  alignas(queue::cache_line) queue::block room_;
  alignas(queue::cache_line) queue::block results_;
  alignas(queue::cache_line) std::atomic<bool> followed_{false};
  std::atomic<bool> closed_{false};
  std::atomic<std::size_t> kept_{0};
  std::mutex mutex_;
  std::deque<T> kept_items_;
};

}  // namespace ipuflow::feed
