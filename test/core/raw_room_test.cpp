// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/raw_room.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace raw_room_test {

using namespace ipuflow::detail;

TEST_CASE("room has its size and its alignment, and is given back") {
  for (const std::size_t alignment : {1, 8, 16, 64, 4096})
    for (const std::size_t count : {1, 7, 1000}) {
      void* const room = take_room(count, alignment, alignment);
      CHECK(reinterpret_cast<std::uintptr_t>(room) % alignment == 0);
      std::memset(room, 1, count * alignment);  // AddressSanitizer looks on
      give_room(room, alignment);
    }
  give_room(nullptr, 8);
  give_room(nullptr, 64);
}

TEST_CASE("bytes beyond all numbers are no room") {
  const std::size_t most = static_cast<std::size_t>(-1);
  CHECK_THROWS_AS(take_room(most, 8, 8), std::bad_alloc);
  CHECK_THROWS_AS(take_room(most / 8 + 2, 8, 8), std::bad_alloc);  // would wrap round to a few bytes
  CHECK_THROWS_AS(take_room(most / 64 + 2, 64, 64), std::bad_alloc);
}

}  // namespace raw_room_test
