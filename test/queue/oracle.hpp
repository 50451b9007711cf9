// SPDX-License-Identifier: BSL-1.0
// What the rings are compared with: a deque under a mutex, which is a ring too and nobody doubts; and an item that
// knows how many of its kind are alive, cannot be copied, and owns memory, so that what is lost, doubled or leaked
// shows.
#pragma once

#include "instrumented.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace oracle {

template <class T>
class deque_ring {
 public:
  using value_type = T;

  explicit deque_ring(std::size_t capacity) : capacity_{capacity} {}
  std::size_t capacity() const { return capacity_; }

  bool try_push(T&& item) {
    const std::lock_guard lock{mutex_};
    if (items_.size() == capacity_) return false;
    items_.push_back(std::move(item));
    return true;
  }
  std::optional<T> try_pop() {
    const std::lock_guard lock{mutex_};
    std::optional<T> item;
    if (items_.empty()) return item;
    item.emplace(std::move(items_.front()));
    items_.pop_front();
    return item;
  }
  bool try_pop(T& into) {
    auto item = try_pop();
    if (item) into = std::move(*item);
    return item.has_value();
  }

  std::span<T> reserve(std::size_t count) {
    filling_ = std::vector<T>(std::min(count, writable()));
    return filling_;
  }
  void commit(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) try_push(std::move(filling_[i]));
    filling_.clear();
  }
  std::span<T> peek(std::size_t count) {  // one at a time: a deque's items do not lie side by side
    const std::lock_guard lock{mutex_};
    return count == 0 || items_.empty() ? std::span<T>{} : std::span<T>{&items_.front(), 1};
  }
  void release(std::size_t count) {
    const std::lock_guard lock{mutex_};
    for (; count > 0; --count) items_.pop_front();
  }
  std::size_t writable() {
    const std::lock_guard lock{mutex_};
    return capacity_ - items_.size();
  }
  std::size_t readable() {
    const std::lock_guard lock{mutex_};
    return items_.size();
  }

 private:
  std::mutex mutex_;
  std::deque<T> items_;
  std::size_t capacity_;
  std::vector<T> filling_;
};

class owner {
 public:
  static inline std::atomic<std::ptrdiff_t> alive{0};

  owner() : owner{0} {}
  explicit owner(std::uint64_t value) : value_{std::make_unique<std::uint64_t>(value)} { ++alive; }
  owner(owner&& other) noexcept : value_{std::move(other.value_)} { ++alive; }
  owner& operator=(owner&& other) noexcept = default;
  ~owner() { --alive; }

  std::uint64_t value() const { return *value_; }

 private:
  std::unique_ptr<std::uint64_t> value_;
};

inline std::uint64_t value_of(std::uint64_t item) { return item; }
inline std::uint64_t value_of(const owner& item) { return item.value(); }

/// A small generator of its own for each thread, the same everywhere.
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_{seed * 0x9e3779b97f4a7c15u + 1} {}
  std::size_t below(std::size_t limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::size_t>((state_ >> 11) % limit);
  }

 private:
  std::uint64_t state_;
};

/// Items that the stress tests pass in all: IPUFLOW_STRESS_ITEMS, or what takes some twenty seconds.
inline std::uint64_t stress_items() {
  if (const char* const text = std::getenv("IPUFLOW_STRESS_ITEMS")) return std::stoull(text);
  return ipuflow::test::is_instrumented ? 5'000'000 : 110'000'000;
}

}  // namespace oracle
