// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/machine/busy_spans.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace busy_spans_test {

using ipuflow::ipu::busy_spans;

TEST_CASE("what is asked for later may find a gap before, and never shares time with what has been taken") {
  busy_spans port;
  port.take(100, 50);
  port.take(170, 10);
  CHECK(port.free_for(40, 60) == 40);
  CHECK(port.free_for(41, 60) == 180);
  CHECK(port.free_for(41, 20) == 41);
  CHECK(port.free_for(120, 20) == 150);
  CHECK(port.free_for(150, 20) == 150);
  CHECK(port.end_of_transfer(120, 20) == 170);
  CHECK(port.free_for(120, 20) == 180);

  std::mt19937 random{7};
  std::vector<bool> taken(3000, false);
  busy_spans any;
  for (int i = 0; i < 14; ++i) {  // as many as are remembered
    const std::uint64_t length = 1 + random() % 60, from = any.free_for(1 + random() % 900, length);
    any.take(from, length);
    for (std::uint64_t t = from; t < from + length; ++t) {
      CHECK_FALSE(taken[t]);
      taken[t] = true;
    }
  }
}

}  // namespace busy_spans_test
