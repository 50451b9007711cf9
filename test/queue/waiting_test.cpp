// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/queue/waiting.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

namespace waiting_test {

using namespace ipuflow::queue;

// begin: policy
/// Looks again at once, after other threads of this core had a turn.
struct only_yield {
  template <class Ready>
  void wait(Ready ready) {
    while (!ready()) std::this_thread::yield();
  }
  void wake() {}
};
// end: policy

static_assert(waiting<only_yield> && waiting<spin> && waiting<spin_then_yield> && waiting<block> && !waiting<int>);

TEST_CASE_TEMPLATE("who waits goes on once it can, and never before", Wait, spin, spin_then_yield, block, only_yield) {
  constexpr int rounds = 2000;
  Wait there;
  Wait back;
  std::atomic<int> turn{0};
  const auto play = [&](int parity, Wait& mine, Wait& other) {
    for (int i = parity; i < rounds; i += 2) {
      mine.wait([&] { return turn.load(std::memory_order_acquire) == i; });
      turn.store(i + 1, std::memory_order_release);
      other.wake();
    }
  };
  std::thread second{[&] { play(1, back, there); }};
  play(0, there, back);
  second.join();
  CHECK(turn == rounds);
}

TEST_CASE_TEMPLATE("waiting for what is already so returns at once, and a wake nobody waits for is harmless", Wait,
                   spin, spin_then_yield, block, only_yield) {
  Wait wait;
  wait.wake();
  wait.wait([] { return true; });
  wait.wake();
  wait.wait([] { return true; });
  CHECK(true);
}

}  // namespace waiting_test
