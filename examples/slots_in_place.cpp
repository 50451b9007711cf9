// SPDX-License-Identifier: BSL-1.0
// Slots that are filled and read where they are, and an exception that reaches the consumer. Prints what came through.
#include <ipuflow/queue/channel.hpp>
#include <ipuflow/queue/slot_ring.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

using namespace ipuflow;

int main() {
  // begin: slots
  using batch = std::vector<float>;
  auto [filling, reading] = queue::make_channel<queue::slot_ring<batch>>(3, [] { return batch(4); });
  batch& empty = filling.reserve()[0];  // one of three, made once
  empty.assign(4, 0.5f);
  filling.commit();
  const auto waiting = reading.peek();
  const batch& full = waiting[0];  // the same memory
  std::printf("a slot of %zu floats came through: %s\n", full.size(), &full == &empty ? "in place" : "copied");
  reading.release();  // back to the producer
  // end: slots

  // begin: failure
  filling.fail(std::make_exception_ptr(std::runtime_error{"the file ends in the middle of a record"}));
  try {
    while (!reading.peek().empty()) reading.release();
  } catch (const std::runtime_error& wrong) {
    std::printf("the consumer is told: %s\n", wrong.what());
  }
  // end: failure
}
