// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/matmul.hpp>

#include "run_once.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace matmul_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

std::vector<float> product(const matmul_shape& s, const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> out(s.m * s.n, 0);
  for (std::size_t i = 0; i < s.m; ++i) {
    for (std::size_t k = 0; k < s.k; ++k) {
      const float left = a[s.a_transposed ? k * s.m + i : i * s.k + k];
      for (std::size_t j = 0; j < s.n; ++j) out[i * s.n + j] += left * b[s.b_transposed ? j * s.k + k : k * s.n + j];
    }
  }
  return out;
}

}  // namespace

TEST_CASE("every shape, orientation and precision gives the plain product") {
  for (const matmul_shape& shape :
       {matmul_shape{40, 70, 30}, {1, 100, 10}, {100, 1, 33}, {8, 300, 10}, {5, 5, 5}, {64, 16, 64}}) {
    for (const bool turned_a : {false, true}) {
      for (const bool turned_b : {false, true}) {
        matmul_shape s = shape;
        s.a_transposed = turned_a;
        s.b_transposed = turned_b;
        for (const amp_precision type : {amp_precision::half_half, amp_precision::half_float}) {
          s.type = type;
          operation_test<half> t;
          const variable_id a = t.variable(s.m * s.k), b = t.variable(s.k * s.n), out = t.variable(s.m * s.n);
          const auto x = t.numbers(s.m * s.k, 2), y = t.numbers(s.k * s.n, 2);
          CHECK(t.result(matmul(t.g, s, a, b, out), {{a, x}, {b, y}}, out) == product(s, x, y));
        }
        s.type = amp_precision::float_float;
        operation_test<float> t;
        const variable_id a = t.variable(s.m * s.k), b = t.variable(s.k * s.n), out = t.variable(s.m * s.n);
        const auto x = t.numbers(s.m * s.k), y = t.numbers(s.k * s.n);
        CHECK(t.result(matmul(t.g, s, a, b, out), {{a, x}, {b, y}}, out) == product(s, x, y));
      }
    }
  }
}

TEST_CASE("real numbers: within half's last places, and closer with float partials") {
  const matmul_shape s{33, 200, 21};
  operation_test<half> t;
  const variable_id a = t.variable(s.m * s.k), b = t.variable(s.k * s.n), out = t.variable(s.m * s.n);
  std::vector<float> x(s.m * s.k), y(s.k * s.n);
  for (float& v : x) v = float{half{static_cast<float>(t.random() % 1000) / 1000 - 0.5f}};
  for (float& v : y) v = float{half{static_cast<float>(t.random() % 1000) / 1000 - 0.5f}};
  const auto wanted = product(s, x, y);
  matmul_shape exact = s;
  exact.type = amp_precision::half_float;
  const double with_half = distance(t.result(matmul(t.g, s, a, b, out), {{a, x}, {b, y}}, out), wanted);
  const double with_float = distance(t.result(matmul(t.g, exact, a, b, out), {{a, x}, {b, y}}, out), wanted);
  CHECK(with_half < 0.01);
  CHECK(with_float < 0.001);
  CHECK(with_float <= with_half);
}

TEST_CASE("in turns, by any cut of the three dimensions, and on chosen tiles") {
  const matmul_shape s{24, 48, 36, amp_precision::float_float};
  for (const matmul_plan& p : {matmul_plan{2, 3, 4, 1, 64, {}, {}},
                               {1, 1, 1, 5, 64, {}, {}},
                               {3, 2, 2, 3, 64, {}, {}},
                               {1, 16, 4, 2, 64, {}, {}},
                               {24, 1, 2, 1, 64, {}, {}},
                               {.m_parts = 2, .k_parts = 3, .n_parts = 4, .tiles = 64, .m_turns = 3},
                               {.m_parts = 2, .k_parts = 3, .n_parts = 4, .tiles = 64, .k_turns = 4},
                               {.m_parts = 4, .n_parts = 2, .turns = 3, .tiles = 64, .m_turns = 2, .k_turns = 5},
                               {.m_parts = 5, .k_parts = 2, .turns = 2, .tiles = 64, .m_turns = 5, .k_turns = 3}}) {
    operation_test<float> t;
    const variable_id a = t.variable(s.m * s.k), b = t.variable(s.k * s.n), out = t.variable(s.m * s.n);
    const auto x = t.numbers(s.m * s.k), y = t.numbers(s.k * s.n);
    CHECK(t.result(matmul(t.g, s, p, a, b, out), {{a, x}, {b, y}}, out) == product(s, x, y));
  }
  operation_test<float> t;
  const variable_id a = t.variable(s.m * s.k), b = t.variable(s.k * s.n), out = t.variable(s.m * s.n);
  const step program = matmul(t.g, s, a, b, out, {.first_tile = 10, .tiles = 20});
  const profile seen = cost(pod(small_chip(), 1), t.g, program);
  for (std::size_t tile = 0; tile < 64; ++tile) {
    if (tile < 10 || tile >= 30) CHECK(seen.tile_busy[tile] == cycles{});
  }
}

TEST_CASE("the plan's estimate is near what the engine counts, and its memory what the profile shows") {
  const architecture chip = mk2;
  for (const matmul_shape& s :
       {matmul_shape{512, 512, 512}, {128, 1024, 256, amp_precision::float_float}, {2048, 256, 512}}) {
    graph g(chip);
    const matmul_plan p = plan_matmul(g, s);
    const element_type type = operand_type(s.type);
    const variable_id a = g.add_variable(name_from("a"), type, s.m * s.k, linear(s.m * s.k, chip.tiles, 0, vector_width(type)));
    const variable_id b = g.add_variable(name_from("b"), type, s.k * s.n, linear(s.k * s.n, chip.tiles, 0, vector_width(type)));
    const variable_id out = g.add_variable(name_from("out"), type, s.m * s.n, linear(s.m * s.n, chip.tiles, 0, vector_width(type)));
    const profile seen = cost(pod(chip, 1), g, matmul(g, s, p, a, b, out));
    CHECK(static_cast<double>(seen.total.value) ==
          doctest::Approx(static_cast<double>(p.estimate.value)).epsilon(0.35));
    std::size_t most = 0;
    for (const tile_memory& t : seen.memory.tiles)
      most = std::max<std::size_t>(most, t[memory_category::not_always_live]);
    CHECK(most <= memory_for(g, {}).value);
    CHECK(seen.flops() > 0);
    CHECK(seen.chips[0].flops >= 2 * s.m * s.k * s.n);
  }
}

}  // namespace matmul_test
