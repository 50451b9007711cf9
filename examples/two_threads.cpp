// SPDX-License-Identifier: BSL-1.0
// One thread makes numbers, another one sums them up: single items, spans in place, the end of a stream and what
// happens to an exception. Prints what came through.
#include <ipuflow/queue/channel.hpp>
#include <ipuflow/queue/slot_ring.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace ipuflow;

int main() {
  // begin: items
  auto [in, out] = queue::make_channel<int>(1024);
  std::thread making{[numbers = std::move(in)]() mutable {
    for (int i = 1; i <= 1000; ++i) numbers.push(i);  // waits while the queue is full
  }};  // the producer goes out of scope: the stream is closed
  long sum = 0;
  for (const int item : out) sum += item;  // until the end
  making.join();
  // end: items
  std::printf("the sum of the items is %ld\n", sum);

  // begin: slots
  using batch = std::vector<float>;
  auto [filling, reading] = queue::make_channel<queue::slot_ring<batch>>(3, [] { return batch(4); });
  batch& empty = filling.reserve()[0];  // one of three, made once
  empty.assign(4, 0.5f);
  filling.commit();
  const batch& full = reading.peek()[0];  // the same memory
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
