// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/queue/boost_ring.hpp>
#include <ipuflow/queue/channel.hpp>
#include <ipuflow/queue/slot_ring.hpp>
#include <ipuflow/queue/spsc_ring.hpp>
#include <ipuflow/queue/queue_fault.hpp>

#include <doctest/doctest.h>

#include <string>

namespace queue_fault_test {

using namespace ipuflow::queue;

template <class Action>
std::string sentence_of(Action action) {
  try {
    action();
  } catch (const ipuflow::error& wrong) {
    return wrong.what();
  }
  return "nothing is wrong";
}

TEST_CASE_TEMPLATE("a ring of no capacity says so", Ring, spsc_ring<int>, slot_ring<int>, boost_ring<int>) {
  CHECK(sentence_of([] { Ring{0}; }) == "ipuflow: a queue is asked to hold 0 items; give it a capacity from 1 up");
}

TEST_CASE_TEMPLATE("committing and releasing too much says so", Ring, spsc_ring<int>, slot_ring<int>, boost_ring<int>) {
  Ring ring{2};
  static_cast<void>(ring.reserve(2));
  CHECK(
      sentence_of([&] { ring.commit(3); }) ==
      "ipuflow: 3 items are committed of 2 that were reserved; commit at most the size of the span that reserve gave");
  CHECK(sentence_of([&] { ring.release(1); }) ==
        "ipuflow: 1 item is released of 0 that were seen; release at most the size of the span that peek gave");
}

TEST_CASE("pushing after the end says so") {
  auto [in, out] = make_channel<int>(2);
  CHECK(in.push(1));
  in.close();
  CHECK(sentence_of([&to = in] { to.push(2); }) ==
        "ipuflow: an item is pushed after the producer ended its stream; push first, then close, stop or fail");
  CHECK(out.pop() == 1);
  CHECK(out.pop() == std::nullopt);
}

}  // namespace queue_fault_test
