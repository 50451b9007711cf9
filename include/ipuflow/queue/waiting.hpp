// SPDX-License-Identifier: BSL-1.0
// Waiting policies of a channel. `wait(ready)` returns once `ready()` is true; the other end calls `wake()` after
// every action that can make it true. One object serves one waiting thread.
#pragma once

#include <ipuflow/core/clock.hpp>
#include <ipuflow/core/posix.hpp>
#include <ipuflow/queue/atomics.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>

namespace ipuflow::queue {

/// A waiting policy: `wait` returns when `ready()` is true, `wake` is called by the other end after each change.
template <class Wait>
concept waiting = std::default_initializable<Wait> && requires(Wait& wait, bool (*ready)()) {
  wait.wait(ready);
  wait.wake();
};

/// Never gives its core away: for ends that have a core each, and nothing else to run there.
struct spin {
  template <class Ready>
  void wait(Ready ready) {
    while (!ready()) relax();
  }
  void wake() {}
};

/// Spins for about a microsecond, then lets others run, then naps: the other end does nothing for it, and with more
/// threads than cores the one that can go on does.
struct spin_then_yield {
  template <class Ready>
  void wait(Ready ready) {
    for (std::size_t tries = 0; !ready(); ++tries) {
      if (tries < spins) {
        relax();
      } else if (tries < spins + yields) {
        posix::yield();
      } else {
        posix::sleep_for(nap);
      }
    }
  }
  void wake() {}

 private:
  static constexpr std::size_t spins = 64;
  static constexpr std::size_t yields = 4096;
  static constexpr std::chrono::microseconds nap{50};
};

/// Sleeps in the operating system until it is woken: for long waits. Every item costs the other end an exchange.
template <class Atomics = standard_atomics, std::size_t Spins = 64>
class basic_block {
 public:
  template <class Ready>
  void wait(Ready ready) {
    for (std::size_t tries = 0; tries < Spins; ++tries) {
      if (ready()) return;
      relax();
    }
    for (;;) {
      // All exchanges of `asleep_` are in one order. If the last wake() comes before this one, what it announced is
      // visible to ready(); if it comes after, it finds 1 and notifies.
      asleep_.exchange(1, std::memory_order_acquire);  // partner: the release in wake()
      if (ready()) break;
      asleep_.wait(1, std::memory_order_relaxed);  // no partner: only a reason to look again
    }
    // No partner: an exchange hands on the release of the wake() before it, which a store would hide.
    asleep_.exchange(0, std::memory_order_relaxed);
  }

  void wake() {
    if (asleep_.exchange(0, std::memory_order_release) != 0) asleep_.notify_one();  // partner: the acquire in wait()
  }

 private:
  typename Atomics::template atomic<int> asleep_{0};
};

using block = basic_block<>;

}  // namespace ipuflow::queue
