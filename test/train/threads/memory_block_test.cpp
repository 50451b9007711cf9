// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/memory_block.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>

namespace memory_block_test {

using namespace ipuflow;

TEST_CASE("a block is aligned and zero; an empty one is nothing") {
  const train::impl::memory_block block{1000};
  CHECK(block.size() == 1000);
  CHECK(reinterpret_cast<std::uintptr_t>(block.data()) % train::impl::memory_block::alignment == 0);
  CHECK(std::all_of(block.data(), block.data() + 1000, [](std::byte b) { return b == std::byte{}; }));
  CHECK(train::impl::memory_block{0}.data() == nullptr);
}

TEST_CASE("a pool hands out each block once, takes it back, and forgets who has what") {
  train::impl::memory_pool pool{4, 64};
  CHECK(pool.size() == 4);
  CHECK(pool.bytes() == 256);
  std::set<std::byte*> seen;
  std::size_t last = 0;
  for (int i = 0; i < 4; ++i) seen.insert(pool[last = pool.take()]);
  CHECK(seen.size() == 4);
  pool.give(last);
  CHECK(pool.take() == last);
  pool.clear();
  for (int i = 0; i < 4; ++i) seen.erase(pool[pool.take()]);
  CHECK(seen.empty());
  CHECK(train::impl::memory_pool{}.bytes() == 0);
}

}  // namespace memory_block_test
