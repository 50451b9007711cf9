// SPDX-License-Identifier: BSL-1.0
// Tells in order what several threads finish in any order: results of a step go to an outfeed as soon as all before them
// have gone. No thread waits for another; the one that tells goes on with what others have finished meanwhile.
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
    for (counter& c : finished_) c.parts.store(0, std::memory_order_relaxed);  // partner: none, threads begin behind it
    pending_.store(0, std::memory_order_relaxed);                              // partner: none, the same
    parts_ = parts;
    next_ = 0;
  }

  /// Any thread: a part of an item is finished. Calls `tell(item)`, one thread at a time, for each item that is next.
  template <class Tell>
  void finish(std::size_t item, Tell&& tell) {
    // The thread that finishes the last part passes on what the others have written.
    const std::size_t parts = finished_[item].parts.fetch_add(1, std::memory_order_acq_rel);  // partner: itself, elsewhere
    if (parts + 1 != parts_) return;
    // It goes on with `next_` of the thread that told before; or that thread looks again and sees this item.
    const std::size_t telling = pending_.fetch_add(1, std::memory_order_acq_rel);  // partner: the fetch_sub below
    if (telling != 0) return;
    for (std::size_t seen = 1;;) {
      while (next_ < finished_.size() &&
             finished_[next_].parts.load(std::memory_order_acquire) == parts_) {  // partner: the fetch_add of parts
        tell(next_);
        ++next_;
      }
      const std::size_t before = pending_.fetch_sub(seen, std::memory_order_acq_rel);  // partner: the fetch_add of pending_
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
