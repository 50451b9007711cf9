// SPDX-License-Identifier: BSL-1.0
// One thread makes numbers, another one sums them up. Prints what came through.
// begin: whole
#include <ipuflow/queue/channel.hpp>

#include <cstdio>
#include <thread>
#include <utility>

using namespace ipuflow;

int main() {
  // begin: channel
  auto [in, out] = queue::make_channel<int>(1024);
  std::thread making{[numbers = std::move(in)]() mutable {
    for (int i = 1; i <= 1000; ++i) numbers.push(i);  // waits while the queue is full
  }};  // the producer goes out of scope: the stream is closed
  long sum = 0;
  for (const int item : out) sum += item;  // until the end
  making.join();
  // end: channel
  std::printf("the sum of the items is %ld\n", sum);
}
// end: whole
