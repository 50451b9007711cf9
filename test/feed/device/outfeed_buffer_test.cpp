// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/device/outfeed_buffer.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <thread>

namespace outfeed_buffer_test {

using namespace ipuflow::feed;

TEST_CASE("without a reader nothing waits and nothing is lost") {
  outfeed_buffer<int> buffer{2};
  for (int i = 0; i < 1000; ++i) buffer.put(int{i});
  for (int i = 0; i < 500; ++i) CHECK(buffer.try_take() == i);
  for (int i = 1000; i < 1500; ++i) buffer.put(int{i});
  for (int i = 500; i < 1500; ++i) CHECK(buffer.try_take() == i);
  CHECK_FALSE(buffer.try_take());
}

TEST_CASE("with a reader the device waits rather than run ahead") {
  outfeed_buffer<std::size_t> buffer{3};
  buffer.follow(true);
  std::atomic<std::size_t> put{0};
  std::thread device{[&] {
    for (std::size_t i = 0; i < 1000; ++i) {
      buffer.put(std::size_t{i});
      put.store(i + 1);
    }
    buffer.close();
  }};
  for (std::size_t i = 0; i < 1000; ++i) {
    const auto item = buffer.take();
    CHECK(item == i);
    CHECK(put <= i + 1 + 3);  // those in the ring, and the one just taken
  }
  CHECK_FALSE(buffer.take());
  device.join();
}

TEST_CASE("readers come and go while the device runs") {
  for (std::size_t depth = 1; depth <= 4; ++depth) {
    outfeed_buffer<std::size_t> buffer{depth};
    std::thread device{[&] {
      for (std::size_t i = 0; i < 20000; ++i) buffer.put(std::size_t{i});
      buffer.close();
    }};
    std::size_t next = 0;
    for (std::size_t visit = 0; next < 20000; ++visit) {
      buffer.follow(visit % 2 == 0);
      for (std::size_t i = 0; i < visit % 50; ++i) {
        const auto item = visit % 2 == 0 ? buffer.take() : buffer.try_take();
        if (item) {
          REQUIRE(*item == next);
          ++next;
        }
      }
    }
    buffer.follow(false);
    device.join();
    CHECK_FALSE(buffer.take());
  }
}

}  // namespace outfeed_buffer_test
