// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/queue/waiting.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "memory_model.hpp"

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

namespace {

/// Two threads do something once each and wake a third, which waits for the first of them and then for both.
struct two_wakers {
  memory_model::atomic<unsigned> done{};
  basic_block<memory_model::atomics, 1> waits{};
};

auto two_wake_one() {
  using memory_model::log;
  const auto worker = [](two_wakers& w) {
    w.done.fetch_add(1, std::memory_order_relaxed);
    w.waits.wake();
    return log{};
  };
  const auto waiter = [](two_wakers& w) {
    for (const unsigned count : {1u, 2u}) {
      w.waits.wait([&] { return w.done.load(std::memory_order_relaxed) >= count; });
    }
    return log{w.done.load(std::memory_order_relaxed)};
  };
  return memory_model::explorer<two_wakers>{[] { return two_wakers{}; },
                                            {worker, worker, waiter},
                                            [](const std::vector<log>& results) { return results[2] == log{2}; },
                                            {{0, 2}, {1, 0}}};
}

}  // namespace

TEST_CASE("block loses no wake of two threads, in any execution, and each of its memory orders is needed") {
  const auto orders = memory_model::weaken_in_turn([] { return memory_model::counted(two_wake_one()); });
  const auto& checks = orders.with_all;
  CHECK(checks.hold);
  CHECK(checks.executions > 100);
  CHECK(orders.all == 2);
  CHECK(orders.not_needed == std::vector<std::string>{});
  MESSAGE("block: ", checks.executions, " executions, ", checks.states, " states, ", orders.all,
          " memory orders weakened in turn");
}

}  // namespace waiting_test
