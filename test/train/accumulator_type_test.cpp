// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/accumulator_type.hpp>

#include <doctest/doctest.h>

#include <string>

namespace accumulator_type_test {

using namespace ipuflow;
using train::accumulator_type;

static_assert(train::accumulate_as<half> == accumulator_type::f16);
static_assert(train::accumulate_as<float> == accumulator_type::f32);
static_assert(train::accumulate_as<double> == accumulator_type::f64);
static_assert(!train::impl::verify_accumulator<half>());

TEST_CASE("The sentences name the type, or say that tiles lack it") {
  CHECK(std::string{message(train::impl::verify_accumulator<int>()).view()} ==
        "ipuflow: gradients are not added up in int; say accumulate_as<half>, <float> or <double>");
  CHECK(std::string{message(train::accumulator_fault{.kind = train::accumulator_wrong::on_tiles}).view()} ==
        "ipuflow: tiles have no doubles to add gradients up in, but a group asks for them; say accumulate_as<float> or <half>");
}

}  // namespace accumulator_type_test
