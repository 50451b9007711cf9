// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a channel is asked for with something that is not a ring behind its items; name the ring before the way of waiting
#include <ipuflow/queue/channel.hpp>

#include <cstddef>
#include <span>

using namespace ipuflow;

struct one_item {
  using value_type = int;

  explicit one_item(std::size_t) {}
  std::size_t capacity() const { return 1; }
  std::span<int> reserve(std::size_t) { return {&item, 1}; }
  void commit(std::size_t) {}
  std::size_t writable() { return 1; }
#ifndef EXPECT_FAILURE
  std::span<int> peek(std::size_t) { return {&item, 1}; }
#endif
  void release(std::size_t) {}
  std::size_t readable() { return 1; }

  int item = 0;
};

auto ends = queue::make_channel<int, one_item>(1);
