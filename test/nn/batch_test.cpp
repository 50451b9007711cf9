// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/batch.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace batch_test {

using namespace ipuflow;

TEST_CASE("Groups lie one after another, the last one may be short") {
  nn::lanes<float> memory[3 * 6]{};
  const nn::batch<float, shape<2, 3>> batch{memory, 3, 2 * nn::lane_count + 1};
  CHECK(batch.elements == 6);
  CHECK(batch.group(2) == memory + 12);
  CHECK(batch.samples_in(0) == nn::lane_count);
  CHECK(batch.samples_in(1) == nn::lane_count);
  CHECK(batch.samples_in(2) == 1);
  CHECK(batch.read().data == memory);
  static_assert(std::is_const_v<std::remove_pointer_t<decltype(batch.read().data)>>);
}

}  // namespace batch_test
