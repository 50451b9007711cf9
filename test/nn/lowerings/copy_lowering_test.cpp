// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/layers/copy.hpp>
#include <ipuflow/nn/lowerings/copy_lowering.hpp>

namespace copy_lowering_test {

using namespace nn_test;

TEST_CASE("The identity on tiles copies a value there and its gradient back, numbers beside samples too") {
  check_lowering(nn::copy_t{}, tensor<float, 3, 7>{});
  tile_bench t;
  t.l.samples = 5;
  const auto x = t.value<std::int32_t, shape<>>(), y = t.value<std::int32_t, shape<>>();
  using number = std::int32_t;
  const nn::forward_lowering<nn::in<number>, nn::out<number>> given{t.l, {x}, {y}};
  run_on_tiles(t, lower_forward(nn::copy_t{}, given), {{x.variable, {3, 1, 4, 1, 5}}}, [&](ipu::engine& e) {
    CHECK(e.read<std::int32_t>(y.variable) == std::vector<std::int32_t>{3, 1, 4, 1, 5});
  });
}

TEST_CASE_TEMPLATE("A sum on tiles gives its gradient to whoever wants it", E, float, half) {
  using form = shape<3, 7>;
  tile_bench t;
  t.l.samples = 4;
  const auto a = t.value<E, form>(), b = t.value<E, form>(), y = t.value<E, form>();
  auto d_a = t.value<E, form>(), d_b = t.value<E, form>();
  d_a.is_wanted = false;
  owned<float, form> va{4}, vb{4};
  va.randomise(1);
  vb.randomise(2);
  hold<E>(va);
  hold<E>(vb);
  std::vector<float> sum = samples_of(va);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = held<E>(sum[i] + samples_of(vb)[i]);
  using in = nn::in<tensor<E, 3, 7>, tensor<E, 3, 7>>;
  using out = nn::out<tensor<E, 3, 7>>;
  const ipu::step program = ipu::sequence(
      lower_forward(nn::add, nn::forward_lowering<in, out>{t.l, {a, b}, {y}}),
      lower_backward_inputs(nn::add, nn::inputs_lowering<in, out>{t.l, {a, b}, {y}, {a}, {d_a, d_b}}));
  run_on_tiles(t, program, {{a.variable, samples_of(va)}, {b.variable, samples_of(vb)}}, [&](ipu::engine& e) {
    CHECK(read(e, t.g, y.variable) == sum);
    CHECK(read(e, t.g, d_b.variable) == samples_of(va));
  });
}

TEST_CASE("By hand: 192 floats on 6 tiles") {
  // The identity moves 128 bytes within each tile, 16 of 8 bytes for 6 workers. A sum has 3 vectors of 3 bundles a worker.
  CHECK(count_forward(nn::copy_t{}, tensor<float, 64>{}, 3) == counted{.compute = 288 + 6 * 3});
  tile_bench t;
  t.l.samples = 3;
  const auto a = t.value<float, shape<64>>(), b = t.value<float, shape<64>>(), y = t.value<float, shape<64>>();
  using in = nn::in<tensor<float, 64>, tensor<float, 64>>;
  const nn::forward_lowering<in, nn::out<tensor<float, 64>>> given{t.l, {a, b}, {y}};
  CHECK(count(t, lower_forward(nn::add, given)) == counted{.compute = 11 + 6 * (29 + 3 * 3), .vertices = 6});
}

}  // namespace copy_lowering_test
