// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/kernels/copy_kernels.hpp>
#include <ipuflow/nn/lowerings/copy_lowering.hpp>

namespace copy_lowering_test {

using namespace nn_test;

TEST_CASE("The identity on tiles copies a value there and its gradient back, numbers beside samples too") {
  check_lowering(nn::copy_t{}, tensor<float, 3, 7>{});
  tile_bench t;
  t.l.samples = 5;
  const auto x = t.value<std::int32_t, shape<>>(), y = t.value<std::int32_t, shape<>>();
  run_on_tiles(t, lower_forward(nn::copy_t{}, t.l, x, y), {{x.variable, {3, 1, 4, 1, 5}}}, [&](ipu::engine& e) {
    CHECK(e.read<std::int32_t>(y.variable) == std::vector<std::int32_t>{3, 1, 4, 1, 5});
  });
}

TEST_CASE_TEMPLATE("A sum on tiles gives its gradient to whoever wants it", E, float, half) {
  using form = shape<3, 7>;
  tile_bench t;
  t.l.samples = 4;
  const auto a = t.value<E, form>(), b = t.value<E, form>(), y = t.value<E, form>();
  auto d_a = t.value<E, form>(), d_b = t.value<E, form>();
  d_a.there = false;
  owned<float, form> va{4}, vb{4};
  va.randomise(1);
  vb.randomise(2);
  hold<E>(va);
  hold<E>(vb);
  std::vector<float> sum = samples_of(va);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = held<E>(sum[i] + samples_of(vb)[i]);
  const ipu::step program =
      ipu::sequence(lower_forward(nn::add, t.l, a, b, y), lower_backward_inputs(nn::add, t.l, a, b, y, a, d_a, d_b));
  run_on_tiles(t, program, {{a.variable, samples_of(va)}, {b.variable, samples_of(vb)}}, [&](ipu::engine& e) {
    CHECK(read(e, t.g, y.variable) == sum);
    CHECK(read(e, t.g, d_b.variable) == samples_of(va));
  });
}

TEST_CASE("Flatten has nothing to do") {
  tile_bench t;
  const auto x = t.value<float, shape<2, 3>>();
  CHECK(lower_forward(nn::flatten, t.l, x, nn::on_tiles<float, shape<6>>{x.variable}).empty());
}

}  // namespace copy_lowering_test
