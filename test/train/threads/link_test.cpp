// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/link.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace link_test {

using namespace ipuflow;

TEST_CASE("a link carries what it was made for, both ways, and can be emptied") {
  train::impl::link link{2, 3, 128};
  std::byte memory{};
  CHECK(link.forward.try_push({&memory, 5}));
  CHECK(link.forward.try_push({&memory, 6}));
  CHECK_FALSE(link.forward.has_room());
  CHECK(link.forward.peek(1)[0].micro_batch == 5);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto room = link.backward.reserve(1);
    REQUIRE(room.size() == 1);
    CHECK(room[0].memory.size() == 128);
    room[0].micro_batch = i;
    link.backward.commit(1);
  }
  CHECK(link.backward.reserve(1).empty());
  link.clear();
  CHECK(link.forward.has_room());
  CHECK(link.forward.peek(1).empty());
  CHECK(link.backward.peek(1).empty());
  CHECK(link.backward.reserve(1).size() == 1);
}

}  // namespace link_test
