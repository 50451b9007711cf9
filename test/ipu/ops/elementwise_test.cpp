// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/elementwise.hpp>

#include "run_once.hpp"
#include "said.hpp"
#include "tiny.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace elementwise_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

constexpr unary unaries[] = {unary::exp,  unary::log,        unary::tanh, unary::sigmoid, unary::sqrt,
                             unary::rsqrt, unary::reciprocal, unary::relu, unary::square,  unary::negate,
                             unary::gelu, unary::swish,      unary::erf,  unary::sin,     unary::cos,  unary::copy};
constexpr binary binaries[] = {binary::add, binary::sub,  binary::mul,     binary::div,   binary::max,
                               binary::min, binary::less, binary::greater, binary::equal, binary::pow};

}  // namespace

TEST_CASE_TEMPLATE("every operation is its function, element by element, from any layout", Element, float, half) {
  constexpr std::size_t n = 150;
  for (const unary& op : unaries) {
    operation_test<Element> t;
    const variable_id in = t.g.template add_variable<Element>("in", n, grid(15, 10, 5, 2));
    const variable_id out = t.variable(n);
    std::vector<float> x(n);
    std::vector<float> wanted(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = float{Element{0.1f + 0.02f * static_cast<float>(i)}};
      wanted[i] = float{Element{op(x[i])}};
    }
    CHECK(t.result(apply(t.g, op, in, out), {{in, x}}, out) == wanted);
  }
  for (const binary& op : binaries) {
    operation_test<Element> t;
    const variable_id a = t.g.template add_variable<Element>("a", n, grid(15, 10, 5, 2));
    const variable_id b = t.variable(n);
    const std::vector<float> x = t.numbers(n);
    std::vector<float> y(n, 3);
    std::vector<float> wanted(n);
    for (std::size_t i = 0; i < n; ++i) wanted[i] = float{Element{op(x[i], y[i])}};
    CHECK(t.result(apply(t.g, op, a, b, b), {{a, x}, {b, y}}, b) == wanted);
  }
  for (const gradient& op : {gradient::relu, gradient::sigmoid, gradient::tanh, gradient::gelu, gradient::swish}) {
    operation_test<Element> t;
    const variable_id seen = t.variable(n);
    const variable_id d_out = t.variable(n);
    const variable_id d_in = t.g.template add_variable<Element>("d_in", n, grid(15, 10, 5, 2));
    const std::vector<float> x = t.numbers(n, 1);
    const std::vector<float> dy = t.numbers(n);
    std::vector<float> wanted(n);
    for (std::size_t i = 0; i < n; ++i) wanted[i] = float{Element{op.slope(x[i]) * dy[i]}};
    CHECK(t.result(apply(t.g, op, seen, d_out, d_in), {{seen, x}, {d_out, dy}}, d_in) == wanted);
  }
}

TEST_CASE_TEMPLATE("fill, scaled addition, addition to rows", Element, float, half) {
  operation_test<Element> t;
  const variable_id a = t.variable(120);
  const variable_id b = t.g.template add_variable<Element>("b", 120, grid(12, 10, 4, 5));
  const variable_id bias = t.variable(10);
  const std::vector<float> x = t.numbers(120);
  const std::vector<float> y = t.numbers(10);
  CHECK(t.result(fill(t.g, a, 2.5f), {}, a) == std::vector<float>(120, 2.5f));
  std::vector<float> wanted = x;
  for (float& w : wanted) w += 0.5f * 4;
  CHECK(t.result(sequence(fill(t.g, b, 4), scaled_add(t.g, a, 0.5f, b)), {{a, x}}, a) == wanted);
  for (std::size_t i = 0; i < 120; ++i) wanted[i] = x[i] + y[i % 10];
  CHECK(t.result(add_to_rows(t.g, a, bias, b), {{a, x}, {bias, y}}, b) == wanted);
}

TEST_CASE("floats are added to halves, and halves to floats, and the sum is rounded once") {
  const auto sum_of = [](auto sum, auto more, float scale) {
    operation_test<decltype(sum)> t;
    const variable_id a = t.variable(120);
    const variable_id b = t.g.template add_variable<decltype(more)>("b", 120, grid(12, 10, 4, 5));
    return t.result(sequence(fill(t.g, b, 1 + 0x1p-10f), scaled_add(t.g, a, scale, b)), {{a, std::vector<float>(120, 1)}}, a);
  };
  constexpr float exact = 1 + 0.5f * (1 + 0x1p-10f);
  CHECK(sum_of(float{}, half{}, 0.5f) == std::vector<float>(120, exact));
  CHECK(sum_of(half{}, float{}, 0.5f) == std::vector<float>(120, float{half{exact}}));
  CHECK(float{half{exact}} != exact);
}

TEST_CASE("casts round once and come back") {
  operation_test<float> t;
  const variable_id a = t.variable(100);
  const variable_id h = t.g.add_temporary<half>("h", 100, linear(100, 9));
  const variable_id b = t.variable(100);
  std::vector<float> x(100);
  std::vector<float> wanted(100);
  for (std::size_t i = 0; i < 100; ++i) {
    x[i] = 0.1f * static_cast<float>(i);
    wanted[i] = float{half{x[i]}};
  }
  CHECK(t.result(sequence(cast(t.g, a, h), cast(t.g, h, b)), {{a, x}}, b) == wanted);
}

TEST_CASE("whole numbers become the real ones that they are, wherever they lie") {
  const auto check = [](auto whole, auto real, std::vector<float> numbers) {
    using from = decltype(whole);
    using to = decltype(real);
    graph g{mk2};
    const variable_id in = g.add_variable<from>("in", numbers.size(), linear(numbers.size(), 3));
    const variable_id out = g.add_variable<to>("out", numbers.size(), linear(numbers.size(), 2));
    const step program = cast<from, to>(g, in, out);
    const chip_system one = pod(mk2, 1);
    engine runs(one, g, program, {.checked = true});
    runs.write(in, std::vector<from>(numbers.begin(), numbers.end()));
    runs.run();
    std::vector<to> wanted;
    for (const float x : numbers) wanted.push_back(to{x});
    CHECK(runs.template read<to>(out) == wanted);
  };
  check(std::uint8_t{}, float{}, {0, 1, 127, 128, 255});
  check(std::uint8_t{}, half{}, {0, 1, 127, 128, 255});
  check(std::int32_t{}, float{}, {0, -1, 70'000});
  check(std::uint32_t{}, half{}, {0, 2049, 60'001});
}

TEST_CASE("operands of another size are told, wherever they stand") {
  graph g(tiny_chip());
  const variable_id all = g.add_variable<float>("all", 16, linear(16, 8)), half_of = g.add_variable<float>("half of", 8, linear(8, 8));
  const variable_id alike = g.add_variable<float>("alike", 16, linear(16, 4));
  const auto told = [](const char* of) { return "ipuflow: ipu::" + std::string{of} + " is given 'half of' of 8 elements, but by its shape that has 16; give both alike"; };
  CHECK(said_by([&] { (void)apply(g, unary::relu, half_of, all); }) == told("relu"));
  CHECK(said_by([&] { (void)apply(g, binary::add, alike, half_of, all); }) == told("add"));
  CHECK(said_by([&] { (void)apply(g, binary::add, half_of, alike, all); }) == told("add"));
  CHECK(said_by([&] { (void)apply_to(g, binary::mul, all, half_of); }) == told("mul"));
  CHECK(said_by([&] { (void)apply(g, gradient::relu, all, half_of, alike); }) == told("gradient"));
  CHECK(said_by([&] { (void)scaled_add(g, all, 2, half_of); }) == told("scaled_add"));
  CHECK(said_by([&] { (void)add_to_rows(g, half_of, half_of, all); }) == told("add"));
  CHECK(said_by([&] { (void)add_to_rows(g, all, half_of, alike); }) == "nothing");
  CHECK(said_by([&] { (void)cast<float, half>(g, half_of, g.add_variable<half>("halves", 16, linear(16, 8))); }) == told("cast"));
}

}  // namespace elementwise_test
