// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/counted_chip.hpp>

#include <doctest/doctest.h>

namespace counted_chip_test {

using namespace ipuflow;
using plan::memory_use;

TEST_CASE("bytes of a tile add up, and code is what stands in its region") {
  plan::tile_bytes t;
  t[memory_use::weights] = 100, t[memory_use::vertex_code] = 20, t[memory_use::exchange_code] = 3, t[memory_use::control_code] = 4, t[memory_use::vertex_state] = 5;
  CHECK(t.total() == 132);
  CHECK(t.code() == 27);
  for (std::size_t u = 0; u < plan::memory_uses; ++u) CHECK(!plan::name_of(static_cast<memory_use>(u)).empty());
}

}  // namespace counted_chip_test
