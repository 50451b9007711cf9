// SPDX-License-Identifier: BSL-1.0
// One event for every operation of a run on threads, in memory that is allocated before it starts.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/clock.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/queue/atomics.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>

namespace ipuflow::run {

/// An operation that was carried out, with its thread and its time.
struct event {
  schedule::op what{};                             ///< pass, stage and micro-batch
  std::size_t ipu = 0;                             ///< of copy c: c * IPUs + IPU
  std::size_t thread = 0;                          ///< from 0
  steady_clock::time_point start{};   ///< time
  steady_clock::time_point finish{};  ///< time
};

/// The events of runs that it is handed to, up to `capacity` of them; what is beyond is counted, not kept.
class trace {
 public:
  explicit trace(std::size_t capacity) : capacity_{capacity} {}

  /// Run after run, in each thread after thread, of a thread in order.
  [[nodiscard]] const light_vector<event>& events() const { return events_; }
  [[nodiscard]] std::size_t dropped() const { return dropped_; }
  void clear() {
    events_.clear();
    dropped_ = 0;
  }

  /// One thread's share of a run in progress, on a line of its own.
  struct alignas(queue::cache_line) pen {
    light_vector<event> events;
    std::size_t dropped = 0;

    void note(const event& e) {
      if (events.size() < events.capacity()) {
        events.push_back(e);
      } else {
        ++dropped;
      }
    }
  };

  /// Any thread may turn out to do everything, so each could write down all; memory that is not touched costs nothing.
  [[nodiscard]] light_vector<pen> pens(std::size_t threads) const {
    light_vector<pen> all(threads);
    for (pen& p : all) p.events.reserve(capacity_ - events_.size());
    return all;
  }
  void collect(const light_vector<pen>& pens) {
    for (const pen& p : pens) {
      const std::size_t kept = algorithms::min(p.events.size(), capacity_ - events_.size());
      for (std::size_t i = 0; i < kept; ++i) events_.push_back(p.events[i]);  // an insertion of them all takes longer to compile
      dropped_ += p.dropped + p.events.size() - kept;
    }
  }

 private:
  std::size_t capacity_;
  std::size_t dropped_ = 0;
  light_vector<event> events_;
};

}  // namespace ipuflow::run
