// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/micro_batches.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>

namespace micro_batches_test {

using namespace ipuflow;

TEST_CASE("the number itself, as a constant") {
  static_assert(std::is_same_v<decltype(micro_batches<16>), const std::size_t>);
  CHECK(micro_batches<16> == 16);
}

}  // namespace micro_batches_test
