// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/device/outfeed.hpp>
#include <ipuflow/feed/device/outfeed_reader.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <thread>
#include <utility>

namespace outfeed_reader_test {

using namespace ipuflow::feed;

TEST_CASE("a thread that follows gets every result once, in order, until the outfeed is closed") {
  for (std::size_t depth = 1; depth < 5; ++depth) {
    outfeed<std::size_t> out{{.buffer_depth = depth}};
    std::size_t next = 0;
    std::thread monitor{[reader = out.follow(), &next]() mutable {
      for (const std::size_t result : reader) CHECK(result == next++);
    }};
    for (std::size_t i = 0; i < 5000; ++i) out.enqueue(i);
    out.close();
    monitor.join();
    CHECK(next == 5000);
  }
}

TEST_CASE("a reader that leaves lets the device go on, and the rest is there after the run") {
  outfeed<std::size_t> out{{.buffer_depth = 1}};
  std::thread monitor{[reader = out.follow()]() mutable {
    auto moved = std::move(reader);
    CHECK(moved.next() == std::size_t{0});
  }};
  for (std::size_t i = 0; i < 100; ++i) out.enqueue(i);
  monitor.join();
  std::size_t next = 1;
  for (const std::size_t result : out) CHECK(result == next++);
  CHECK(next == 100);
}

}  // namespace outfeed_reader_test
