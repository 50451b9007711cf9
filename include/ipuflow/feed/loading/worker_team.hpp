// SPDX-License-Identifier: BSL-1.0
// Threads that carry out orders, each in its order. One thread sends. An idle worker polls for a while, so that the
// sender need not wake it, and then blocks until it is woken.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/clock.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/core/posix.hpp>
#include <ipuflow/queue/channel.hpp>

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

namespace ipuflow::feed::impl {

template <class Order>
class worker_team {
 public:
  /// `count` workers, for each of which `room` orders may wait; `act(order)` must not throw.
  template <class Act>
  worker_team(std::size_t count, std::size_t room, std::chrono::microseconds nap, Act act) {
    workers_.reserve(count);
    for (std::size_t k = 0; k < count; ++k) {
      auto [in, out] = queue::make_channel<queue::spsc_ring<Order>, queue::block>(room);
      auto done = make_owner<std::atomic<std::size_t>>(std::size_t{0});
      posix::thread thread{
          [from = std::move(out), act, nap, &finished = *done]() mutable { work(from, act, nap, finished); }};
      workers_.push_back({std::move(done), 0, std::move(thread), std::move(in)});
    }
  }
  worker_team(const worker_team&) = delete;
  worker_team& operator=(const worker_team&) = delete;
  ~worker_team() {
    for (worker& w : workers_) w.orders.stop();
  }

  [[nodiscard]] std::size_t size() const { return workers_.size(); }

  void send(std::size_t to, const Order& order) {
    workers_[to].orders.push(order);
    ++workers_[to].sent;
  }

  /// The worker with the fewest orders that it has not finished; of several, the first.
  std::size_t least_busy() const {
    const auto busy = [](const worker& w) {
      return w.sent - w.done->load(std::memory_order_relaxed);
    };  // a hint: no partner
    const auto least = algorithms::min_element(workers_.begin(), workers_.end(), [&](const auto& a, const auto& b) { return busy(a) < busy(b); });
    return static_cast<std::size_t>(least - workers_.begin());
  }

 private:
  using channel_ends = decltype(queue::make_channel<queue::spsc_ring<Order>, queue::block>(std::size_t{1}));

  struct worker {
    owner<std::atomic<std::size_t>> done;
    std::size_t sent = 0;
    posix::thread thread;
    decltype(channel_ends::in) orders;  // the last member: its end is what ends the thread, which is joined next
  };

  template <class Orders, class Act>
  static void work(Orders& from, Act& act, std::chrono::microseconds nap, std::atomic<std::size_t>& finished) {
    while (true) {
      std::optional<Order> order = from.try_pop();
      if (!order && nap.count() > 0) {
        take_nap(from, nap);
        order = from.try_pop();
      }
      if (!order) order = from.pop();
      if (!order) return;
      act(*order);
      finished.fetch_add(1, std::memory_order_relaxed);  // a hint: no partner
    }
  }

  /// In slices, so that a long nap does not delay the end.
  template <class Orders>
  static void take_nap(Orders& from, std::chrono::microseconds nap) {
    constexpr std::chrono::microseconds slice{1000};
    for (auto left = nap; left.count() > 0 && !from.done(); left -= slice)
      posix::sleep_for(algorithms::min(left, slice));
  }

  light_vector<worker> workers_;
};

}  // namespace ipuflow::feed::impl
