// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/cost/elementwise_cost.hpp>
#include <ipuflow/ipu/ops/functions.hpp>

#include <doctest/doctest.h>

namespace elementwise_cost_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

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
  CHECK(alone(ipu::impl::mixed_scaled_add_cost(mk2, 600), mk2) == cycles{60 + 6 * (15 + 6 + 4 * 49 + 4)});
  CHECK(alone(fill_cost(mk2, element_type::f32, 600), mk2) == cycles{6 * (23 + 300)});
  CHECK(alone(reduce_cost(mk2, element_type::f32, 10, 240), mk2) == cycles{33 + 6 * (20 + 28 * 10)});
  CHECK(alone(reduce_cost(mk2, element_type::f16, 4800, 1), mk2) == cycles{33 + 6 * (20 + 210 + 20 + 106)});
  CHECK(alone(local_copy_cost(mk2, 4800_B), mk2) == cycles{288 + 600});
}

// (bundles, elements) of the inner loops for float and half, and bundles before them, copied from the reference and not
// from the header.
constexpr struct {
  const unary& op;
  std::size_t f32, each32, f16, each16, start;
} unary_figures[] = {{unary::exp, 6, 2, 4, 4, 33},       {unary::log, 12, 2, 4, 4, 17},
                     {unary::tanh, 12, 2, 4, 4, 17},     {unary::sigmoid, 12, 2, 6, 4, 17},
                     {unary::sqrt, 10, 2, 23, 4, 17},    {unary::rsqrt, 8, 2, 19, 4, 17},
                     {unary::reciprocal, 6, 2, 15, 4, 17}, {unary::relu, 3, 2, 3, 4, 17},
                     {unary::square, 2, 2, 2, 4, 17},    {unary::negate, 2, 2, 2, 4, 17},
                     {unary::gelu, 22, 1, 16, 1, 17},    {unary::erf, 41, 1, 13, 1, 17},
                     {unary::sin, 2300, 1, 25, 1, 17},   {unary::cos, 2300, 1, 25, 1, 17},
                     {unary::copy, 2, 2, 2, 4, 17},      {unary::swish, 13, 2, 7, 4, 17}};
constexpr struct {
  const binary& op;
  std::size_t f32, each32, f16, each16;
} binary_figures[] = {{binary::add, 3, 2, 3, 4},    {binary::sub, 3, 2, 3, 4},      {binary::mul, 3, 2, 3, 4},
                      {binary::div, 10, 2, 21, 4},  {binary::max, 3, 2, 4, 4},      {binary::min, 3, 2, 4, 4},
                      {binary::less, 14, 4, 9, 4},  {binary::greater, 14, 4, 9, 4}, {binary::equal, 14, 4, 9, 4},
                      {binary::pow, 312, 1, 325, 1}};
constexpr struct {
  const gradient& op;
  std::size_t f32, each32, f16, each16;
} gradient_figures[] = {{gradient::relu, 3, 2, 3, 4},
                        {gradient::sigmoid, 3, 2, 3, 4},
                        {gradient::tanh, 3, 2, 3, 4},
                        {gradient::gelu, 10, 2, 5, 4},
                        {gradient::swish, 16, 2, 10, 4}};

TEST_CASE("every figure of every operation, for a number of elements that divides and one that does not") {
  for (const std::size_t n : {600u, 607u}) {
    const std::size_t share = divided_up(n, 6);
    const auto loop = [&](std::size_t bundles, std::size_t each) { return bundles * divided_up(share, each); };
    for (const auto& r : unary_figures) {
      CHECK(alone(unary_cost(mk2, r.op, element_type::f32, n), mk2).value == 20 + 6 * (r.start + loop(r.f32, r.each32)));
      CHECK(alone(unary_cost(mk2, r.op, element_type::f16, n), mk2).value == 20 + 6 * (r.start + loop(r.f16, r.each16)));
      CHECK(unary_cost(mk2, r.op, element_type::f16, n, true).bundles == 55 + loop(r.f16, r.each16));
    }
    for (const auto& r : binary_figures) {
      CHECK(alone(binary_cost(mk2, r.op, element_type::f32, n), mk2).value == 11 + 6 * (29 + loop(r.f32, r.each32)));
      CHECK(alone(binary_cost(mk2, r.op, element_type::f16, n), mk2).value == 11 + 6 * (26 + loop(r.f16, r.each16)));
      CHECK(binary_cost(mk2, r.op, element_type::f32, n, true).bundles == 58 + loop(r.f32, r.each32));
    }
    for (const auto& r : gradient_figures) {
      CHECK(alone(gradient_cost(mk2, r.op, element_type::f32, n), mk2).value == 9 + 6 * (20 + loop(r.f32, r.each32)));
      CHECK(alone(gradient_cost(mk2, r.op, element_type::f16, n), mk2).value == 9 + 6 * (20 + loop(r.f16, r.each16)));
    }
  }
  // Hits cost 19 bundles and 2 for each pair of elements (of one byte: 4 for each three), misses 8.
  CHECK(gather_cost(mk2, element_type::f32, 60, 12, 64).bundles == 30 + (12 * (19 + 2 * 32) + 48 * 8) / 6);
  CHECK(gather_cost(mk2, element_type::f16, 60, 60, 64).bundles == 30 + 10 * (19 + 2 * 32));
  CHECK(scatter_cost(mk2, element_type::f32, 60, 12, 64).bundles == 33 + (12 * (11 + 3 * 63) + 48 * 5) / 6);
  CHECK(scatter_cost(mk2, element_type::f16, 60, 60, 64).bundles == 33 + 10 * (12 + 3 * 31));
  CHECK(cast_cost(mk2, 600) == vertex_cost{18 + 19 + 50 + 3, 12, true, 0});
  // Bytes are read four at a time: a load, two sorts, a sum and a store as halves; two more widen them, and two store floats.
  CHECK(widening_cost(mk2, element_type::u8, element_type::f16, 600) == vertex_cost{18 + 19 + 25 * 5, 12, true, 0});
  CHECK(widening_cost(mk2, element_type::u8, element_type::f32, 600) == vertex_cost{18 + 19 + 25 * 8, 12, true, 0});
  CHECK(widening_cost(mk2, element_type::i32, element_type::f32, 600) == vertex_cost{18 + 19 + 100 * 3, 12, true, 0});
  CHECK(fill_cost(mk2, element_type::f16, 600) == vertex_cost{26 + 150, 0, false, 0});
  CHECK(dropout_cost(mk2, element_type::f32, 600) == vertex_cost{85 + 2 * 50, 48, true, 600});
  CHECK(dropout_cost(mk2, element_type::f16, 602) == vertex_cost{85 + 2 * 26, 48, true, 602});
  CHECK(triad_cost(mk2, element_type::f32, 600) == vertex_cost{29 + 50, 11, true, 1200});
}

TEST_CASE("more elements never cost less, and cost in proportion in the end") {
  for (const element_type t : {element_type::f16, element_type::f32}) {
    for (const auto& [op, f32, each32, f16, each16, start] : unary_figures) {
      cycles before;
      for (std::size_t n = 0; n < 200; ++n) {
        const cycles now = alone(unary_cost(mk2, op, t, n), mk2);
        CHECK(now >= before);
        before = now;
      }
      const auto much = static_cast<double>(alone(unary_cost(mk2, op, t, 600'000), mk2).value);
      const auto more = static_cast<double>(alone(unary_cost(mk2, op, t, 1'200'000), mk2).value);
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
