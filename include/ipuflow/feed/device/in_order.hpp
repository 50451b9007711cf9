// SPDX-License-Identifier: BSL-1.0
// What several threads finish in any order is told in order: results of a step go to an outfeed as soon as all before them
// have gone. No thread waits for another; whoever is telling goes on with what others have finished meanwhile.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/queue/atomics.hpp>

#include <atomic>
#include <cstddef>

namespace ipuflow::feed {

/// Items 0 to `count`, each of which is finished when all its parts are.
template <class Atomics = queue::standard_atomics>
class in_order {
 public:
  /// Before the threads begin; forgets what a broken off round has left.
  void begin(std::size_t count, std::size_t parts) {
    if (finished_.size() != count) finished_ = dynamic_array<counter>(count);
    for (counter& c : finished_) c.parts.store(0, std::memory_order_relaxed);
    pending_.store(0, std::memory_order_relaxed);
    parts_ = parts;
    next_ = 0;
  }

  /// Any thread: a part of an item is finished. Calls `tell(item)`, one thread at a time, for each item that is next.
  template <class Tell>
  void finish(std::size_t item, Tell&& tell) {
    // partner: the same line in other threads, whose writes of their parts the last one passes on
    if (finished_[item].parts.fetch_add(1, std::memory_order_acq_rel) + 1 != parts_) return;
    // partner: the fetch_sub below, of the thread that told before, whose `next_` this one goes on with; and to that
    // thread, which looks again, the item that is finished now
    if (pending_.fetch_add(1, std::memory_order_acq_rel) != 0) return;
    for (std::size_t seen = 1;;) {
      // partner: the acq_rel above
      while (next_ < finished_.size() && finished_[next_].parts.load(std::memory_order_acquire) == parts_) tell(next_++);
      const std::size_t before = pending_.fetch_sub(seen, std::memory_order_acq_rel);
      if (before == seen) return;
      seen = before - seen;  // finished since this thread looked
    }
  }

  /// After the threads have ended: how many were told.
  [[nodiscard]] std::size_t told() const { return next_; }

 private:
  struct counter {
    typename Atomics::template atomic<std::size_t> parts{0};
  };

  dynamic_array<counter> finished_;
  alignas(queue::cache_line) typename Atomics::template atomic<std::size_t> pending_{0};
  std::size_t next_ = 0;  // of the thread that tells
  std::size_t parts_ = 1;
};

}  // namespace ipuflow::feed
