// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/cost/elementwise_cost.hpp>

#include <doctest/doctest.h>

namespace elementwise_cost_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("figures of the table, by hand") {
  // 600 elements: 100 a worker; float vectors of 2, half vectors of 4.
  CHECK(alone(binary_cost(mk2, binary::add, element_type::f32, 600), mk2) == cycles{11 + 6 * (29 + 3 * 50)});
  CHECK(alone(binary_cost(mk2, binary::mul, element_type::f16, 600), mk2) == cycles{11 + 6 * (26 + 3 * 25)});
  CHECK(alone(binary_cost(mk2, binary::add, element_type::f32, 600, true), mk2) == cycles{11 + 6 * (58 + 3 * 50)});
  CHECK(alone(binary_cost(mk2, binary::div, element_type::f16, 600), mk2) == cycles{11 + 6 * (26 + 21 * 25)});
  CHECK(alone(binary_cost(mk2, binary::pow, element_type::f32, 600), mk2) == cycles{11 + 6 * (29 + 312 * 100)});
  CHECK(alone(unary_cost(mk2, unary::exp, element_type::f32, 600), mk2) == cycles{20 + 6 * (33 + 6 * 50)});
  CHECK(alone(unary_cost(mk2, unary::relu, element_type::f16, 600), mk2) == cycles{20 + 6 * (17 + 3 * 25)});
  CHECK(alone(unary_cost(mk2, unary::sqrt, element_type::f16, 600, true), mk2) == cycles{20 + 6 * (55 + 23 * 25)});
  CHECK(alone(unary_cost(mk2, unary::gelu, element_type::f16, 600), mk2) == cycles{20 + 6 * (17 + 16 * 100)});
  CHECK(alone(scaled_add_cost(mk2, element_type::f32, 600), mk2) == cycles{60 + 6 * (15 + 6 + 3 * 49 + 3)});
  CHECK(alone(fill_cost(mk2, element_type::f32, 600), mk2) == cycles{6 * (23 + 300)});
  CHECK(alone(reduce_cost(mk2, element_type::f32, 10, 240), mk2) == cycles{33 + 6 * (20 + 28 * 10)});
  CHECK(alone(reduce_cost(mk2, element_type::f16, 4800, 1), mk2) == cycles{33 + 6 * (20 + 210 + 20 + 106)});
  CHECK(alone(local_copy_cost(mk2, 4800_B), mk2) == cycles{288 + 600});
}

TEST_CASE("more elements never cost less, and cost in proportion in the end") {
  for (const element_type t : {element_type::f16, element_type::f32}) {
    for (std::size_t op = 0; op <= static_cast<std::size_t>(unary::copy); ++op) {
      cycles before;
      for (std::size_t n = 0; n < 200; ++n) {
        const cycles now = alone(unary_cost(mk2, static_cast<unary>(op), t, n), mk2);
        CHECK(now >= before);
        before = now;
      }
      const auto much = static_cast<double>(alone(unary_cost(mk2, static_cast<unary>(op), t, 600'000), mk2).value);
      const auto more = static_cast<double>(alone(unary_cost(mk2, static_cast<unary>(op), t, 1'200'000), mk2).value);
      CHECK(more == doctest::Approx(2 * much).epsilon(0.01));
    }
    CHECK(alone(gather_cost(mk2, t, 60, 60, 64), mk2) > alone(gather_cost(mk2, t, 60, 6, 64), mk2));
    CHECK(alone(scatter_cost(mk2, t, 60, 60, 64), mk2) > alone(scatter_cost(mk2, t, 60, 6, 64), mk2));
    CHECK(alone(gradient_cost(mk2, gradient::gelu, t, 600), mk2) >
          alone(gradient_cost(mk2, gradient::relu, t, 600), mk2));
    CHECK(alone(cast_cost(mk2, 1200), mk2) > alone(cast_cost(mk2, 12), mk2));
    CHECK(alone(triad_cost(mk2, t, 6000), mk2) < alone(scaled_add_cost(mk2, t, 6000), mk2));
  }
}

}  // namespace elementwise_cost_test
