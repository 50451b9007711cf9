// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/bounds/bound_parts.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace bound_parts_test {

using namespace ipuflow;
using namespace ipuflow::nn;
using ipu::element_type;

TEST_CASE("weights of the type that is computed with are not cast, others are, where they stand") {
  constexpr bound_question halves{.parameters = element_type::f16}, floats{.parameters = element_type::f32};
  static_assert(impl::cast_weights(halves, element_type::f16, 100'000) == 0);
  static_assert(impl::cast_weights(floats, element_type::f16, 100'000) >= 100'000 * 2 / ipu::mk2.tiles);
}

TEST_CASE("the gradient of a bias is summed over planes, and then over samples") {
  constexpr bound_question q{.samples = 256};
  const pass_bound of_rows = impl::bias_gradient(q, element_type::f16, 64, 1), of_planes = impl::bias_gradient(q, element_type::f16, 64, 784);
  CHECK(of_planes.steps == 2 * of_rows.steps);
  CHECK(of_planes.temporary > of_rows.temporary);
  CHECK(of_planes.exchange > of_rows.exchange);
}

TEST_CASE("a tile has the biases of the runs of places that it has: fewer of large planes, never more than places") {
  constexpr bound_question q{.samples = 64, .parameters = element_type::f16};
  const auto many = impl::bias(q, element_type::f16, 1000, 1).temporary, few = impl::bias(q, element_type::f16, 1000, 100).temporary;
  CHECK(many == q.spread(element_type::f16, 1000));
  CHECK(few < many);
}

TEST_CASE("pieces have code, and a copy has some without any") {
  static_assert(impl::exchange_of_pieces(0) == impl::exchange_of_copy);
  static_assert(impl::exchange_of_pieces(100) > impl::exchange_of_pieces(10));
  static_assert(impl::bound_precision<half>({}) == ipu::amp_precision::half_float);
  static_assert(impl::bound_precision<half>({.half_partials = true}) == ipu::amp_precision::half_half);
  static_assert(impl::bound_precision<float>({.half_partials = true}) == ipu::amp_precision::float_float);
}

}  // namespace bound_parts_test
