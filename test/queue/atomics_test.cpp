// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/queue/atomics.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace atomics_test {

using namespace ipuflow::queue;

static_assert(standard_atomics::atomic<std::size_t>::is_always_lock_free);
static_assert(cache_line % alignof(std::max_align_t) == 0);

TEST_CASE("relaxing returns") {
  for (int i = 0; i < 100; ++i) relax();
  CHECK(true);
}

}  // namespace atomics_test
