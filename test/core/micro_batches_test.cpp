// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/micro_batches.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace micro_batches_test {

using namespace ipuflow;

static_assert(decltype(micro_batches<16>)::count == 16);
static_assert(!std::is_same_v<decltype(micro_batches<4>), decltype(micro_batches<5>)>);

TEST_CASE("The number is in the type, and nothing else is there") { CHECK(std::is_empty_v<micro_batches_t<1'000'000>>); }

}  // namespace micro_batches_test
