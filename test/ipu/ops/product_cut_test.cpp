// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/ops/matmul.hpp>
#include <ipuflow/ipu/ops/product_cut.hpp>

#include "run_once.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <vector>

namespace product_cut_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

namespace {

std::vector<float> small_numbers(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> made(n);
  for (float& x : made) x = static_cast<float>(static_cast<int>(random() % 5) - 2);
  return made;
}

/// [m, n] from a [m, k] and b [k, n], which `at` reads.
template <class A, class B>
std::vector<float> product(std::size_t m, std::size_t k, std::size_t n, A a, B b) {
  std::vector<float> made(m * n, 0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t l = 0; l < k; ++l)
      for (std::size_t j = 0; j < n; ++j) made[i * n + j] += a(i, l) * b(l, j);
  return made;
}

/// A variable that holds `numbers` of a matrix in an order.
struct stored {
  variable_id variable;
  matrix_order order;
  std::vector<float> numbers;

  std::vector<float> in_order() const {
    std::vector<float> made(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) made[order.place(i)] = numbers[i];
    return made;
  }
};

}  // namespace

TEST_CASE("all passes give the plain products, in turns or not, where values are in panels and where they are not") {
  architecture chip = mk2;
  chip.tiles = 48;
  for (const product_sizes& s : {product_sizes{12, 40, 70, amp_precision::float_float}, {6, 16, 16, amp_precision::float_float},
                                 {9, 20, 5, amp_precision::float_float}, {30, 100, 33, amp_precision::float_float},
                                 {96, 48, 32, amp_precision::float_float}, {128, 16, 80, amp_precision::float_float}}) {
    for (std::size_t parts = 1; parts <= 12; ++parts) {
      product_cut cut = plan_product(chip, s, parts <= 6 ? parts : parts / 3, {1, 1, 1}, chip.tiles, chip.tile_memory);
      REQUIRE(cut.fits());
      if (parts > 6) cut.turns = parts % 3 + 2;
      cut.in_squares = parts % 2 == 0;
      for (const bool x_in_rows : {false, true}) {
        for (const bool y_in_rows : {false, true}) {
          CAPTURE(s.rows); CAPTURE(s.inputs); CAPTURE(s.outputs); CAPTURE(parts); CAPTURE(cut.turns); CAPTURE(cut.input_parts); CAPTURE(cut.output_parts); CAPTURE(x_in_rows); CAPTURE(y_in_rows);
          const auto run = [&](product_pass pass, const std::vector<float>& left, const std::vector<float>& right) {
            const planned_product p = cut.of(pass, x_in_rows, y_in_rows);
            graph g(chip);
            // What is in panels stands where the pass makes it that has it as its result, and so do the weights.
            const auto room = [&](product_pass made_by, const matrix_order& o, const std::vector<float>& numbers) {
              const planned_product by = cut.of(made_by);
              mapping map = o.is_plain() ? linear(numbers.size(), chip.tiles, 0, 2) : where_made(by.shape, by.plan);
              return stored{g.add_variable<float>("v", numbers.size(), std::move(map)), o, numbers};
            };
            using enum product_pass;
            const stored a = room(pass == forward ? to_inputs : forward, p.orders.a, left);
            const stored b = room(pass == to_weights ? to_inputs : to_weights, p.orders.b, right);
            const stored out = room(pass, p.orders.out, std::vector<float>(p.shape.m * p.shape.n));
            const step program = matmul(g, p.shape, p.plan, a.variable, b.variable, out.variable, 0, p.orders);
            engine e(pod(chip, 1), g, program, {.checked = true});
            e.write(a.variable, a.in_order());
            e.write(b.variable, b.in_order());
            e.run();
            const std::vector<float> there = e.read<float>(out.variable);
            std::vector<float> made(there.size());
            for (std::size_t i = 0; i < made.size(); ++i) made[i] = there[p.orders.out.place(i)];
            return made;
          };
          const std::vector<float> x = small_numbers(s.rows * s.inputs, 1), w = small_numbers(s.outputs * s.inputs, 2),
                                   dy = small_numbers(s.rows * s.outputs, 3);
          const auto at = [](const std::vector<float>& m, std::size_t columns) {
            return [&m, columns](std::size_t r, std::size_t c) { return m[r * columns + c]; };
          };
          const auto turned = [](const std::vector<float>& m, std::size_t columns) {
            return [&m, columns](std::size_t r, std::size_t c) { return m[c * columns + r]; };
          };
          CHECK(run(product_pass::forward, x, w) == product(s.rows, s.inputs, s.outputs, at(x, s.inputs), turned(w, s.inputs)));
          CHECK(run(product_pass::to_inputs, dy, w) == product(s.rows, s.outputs, s.inputs, at(dy, s.outputs), at(w, s.inputs)));
          CHECK(run(product_pass::to_weights, dy, x) == product(s.outputs, s.rows, s.inputs, turned(dy, s.outputs), at(x, s.inputs)));
        }
      }
    }
  }
}

TEST_CASE("results come out where they are kept, weights are multiplied where they stand, and no message is short") {
  const product_sizes s{1024, 1024, 4096, amp_precision::half_half};
  const product_cut cut = plan_product(mk2, s, 4, {2, 1, 1}, mk2.tiles, 160'000_B);
  REQUIRE(cut.fits());
  const auto counted = [&](product_pass pass, bool rows) {
    const planned_product p = cut.of(pass, rows, rows);
    graph g(mk2);
    const auto half_room = [&](std::size_t n, mapping map) { return g.add_variable<half>("v", n, std::move(map)); };
    const std::size_t x = s.rows * s.inputs, y = s.rows * s.outputs, w = s.inputs * s.outputs;
    const planned_product forward = cut.of(product_pass::forward), inputs = cut.of(product_pass::to_inputs),
                          weights = cut.of(product_pass::to_weights);
    const variable_id vx = half_room(x, rows ? linear(x, mk2.tiles, 0, 4) : where_made(inputs.shape, inputs.plan));
    const variable_id vy = half_room(y, rows ? linear(y, mk2.tiles, 0, 4) : where_made(forward.shape, forward.plan));
    const variable_id vw = half_room(w, where_made(weights.shape, weights.plan));
    const variable_id a = pass == product_pass::forward ? vx : vy, b = pass == product_pass::to_weights ? vx : vw;
    const variable_id out = pass == product_pass::forward ? vy : (pass == product_pass::to_inputs ? vx : vw);
    const profile made = cost(pod(mk2, 1), g, matmul(g, p.shape, p.plan, a, b, out, 0, p.orders), {.allow_out_of_memory = true});
    return std::pair{made.total, made.memory.total(memory_category::exchange_code) / mk2.tiles};
  };
  for (const product_pass pass : {product_pass::forward, product_pass::to_inputs, product_pass::to_weights}) {
    const auto [fast, code] = counted(pass, false);
    const auto [slow, more_code] = counted(pass, true);
    CHECK(fast < slow);
    CHECK(code < 1200);
    CHECK(more_code > code);
  }
}

TEST_CASE("many rows are turned round for the gradient of the weights once, before they are brought, few where they are multiplied") {
  const auto planned = [](std::size_t rows, std::size_t row_parts) {
    return plan_product(mk2, {rows, 1024, 1024, amp_precision::half_half}, row_parts, {2, 1, 1}, mk2.tiles, 160'000_B);
  };
  const product_cut many = planned(1024, 4);
  REQUIRE(many.in_squares);
  product_cut other = many;
  other.in_squares = false;
  const auto time = [](const product_cut& cut) {
    const planned_product p = cut.of(product_pass::to_weights);
    graph g(mk2);
    const planned_product forward = cut.of(product_pass::forward), inputs = cut.of(product_pass::to_inputs);
    const std::size_t values = cut.sizes.rows * cut.sizes.inputs;
    const variable_id vx = g.add_variable<half>("x", values, where_made(inputs.shape, inputs.plan)),
                      vy = g.add_variable<half>("y", values, where_made(forward.shape, forward.plan)),
                      vw = g.add_variable<half>("w", cut.sizes.inputs * cut.sizes.outputs, where_made(p.shape, p.plan));
    return cost(pod(mk2, 1), g, matmul(g, p.shape, p.plan, vy, vx, vw, 0, p.orders), {.allow_out_of_memory = true}).total;
  };
  CHECK(time(many) < time(other));
  CHECK_FALSE(planned(64, 4).in_squares);
  CHECK_FALSE(planned(1000, 5).in_squares);  // parts of 200 rows
}

TEST_CASE("an order has whole squares where its parts of the rows and its panels are made of them") {
  CHECK(ipu::impl::has_whole_squares(in_panels(64, 48, 4)));
  CHECK(ipu::impl::has_whole_squares(in_panels(64, 48, 1)));
  CHECK_FALSE(ipu::impl::has_whole_squares(in_panels(64, 48, 3)));  // parts of 21 and 22 rows
  CHECK_FALSE(ipu::impl::has_whole_squares(in_panels(64, 48, 8)));
  CHECK_FALSE(ipu::impl::has_whole_squares(in_panels(64, 40, 4)));
  CHECK_FALSE(ipu::impl::has_whole_squares(matrix_order{}));
}

}  // namespace product_cut_test
