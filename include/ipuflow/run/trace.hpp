// SPDX-License-Identifier: BSL-1.0
// What happened when: one event for every operation of a run, in memory that is set aside before it starts.
#pragma once

#include <ipuflow/schedule/op.hpp>

#include <chrono>
#include <cstddef>
#include <vector>

namespace ipuflow::run {

struct event {
  schedule::op what{};
  std::size_t ipu = 0;
  std::size_t thread = 0;
  std::chrono::steady_clock::time_point start{};
  std::chrono::steady_clock::time_point finish{};
};

/// The events of a run; hand it to a run to have it filled. Events beyond its capacity are counted, not kept.
class trace {
 public:
  explicit trace(std::size_t capacity) : capacity_{capacity} {}

  /// In the order of each thread, thread by thread.
  const std::vector<event>& events() const { return events_; }
  std::size_t dropped() const { return dropped_; }

  /// One thread's share of a run in progress.
  struct pen {
    std::vector<event> events;
    std::size_t capacity = 0;
    std::size_t dropped = 0;

    void note(const event& e) {
      if (events.size() < capacity) {
        events.push_back(e);
      } else {
        ++dropped;
      }
    }
  };

  std::vector<pen> pens(std::size_t threads) const {
    std::vector<pen> all(threads);
    for (pen& p : all) {
      p.capacity = capacity_ / threads;
      p.events.reserve(p.capacity);
    }
    return all;
  }
  void collect(const std::vector<pen>& pens) {
    for (const pen& p : pens) {
      events_.insert(events_.end(), p.events.begin(), p.events.end());
      dropped_ += p.dropped;
    }
  }

 private:
  std::size_t capacity_;
  std::size_t dropped_ = 0;
  std::vector<event> events_;
};

}  // namespace ipuflow::run
