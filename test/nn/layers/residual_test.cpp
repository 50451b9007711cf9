// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"

#include <ipuflow/nn/layers/residual.hpp>

namespace residual_test {

using namespace nn_test;

static_assert(std::is_same_v<decltype(output_of(nn::add, tensor<half, 2>{}, tensor<half, 2>{})), tensor<half, 2>>);
template <class A, class B>
concept adds = requires(A a, B b) { output_of(nn::add, a, b); };
static_assert(!adds<tensor<float, 2>, tensor<float, 3>>);

TEST_CASE("A sum, whose gradient goes to both, or to the one that wants it") {
  owned<double, shape<3>> a{2}, b{2}, y{2}, d_y{2}, d_a{2}, d_b{2};
  a.randomise(1);
  b.randomise(2);
  d_y.randomise(3);
  using in = nn::in<shape<3>, shape<3>>;
  using out = nn::out<shape<3>>;
  nn::impl::run_forward(nn::add, nn::forward_pass<double, in, out>{{a.read(), b.read()}, {y.view()}});
  CHECK(y.get(1, 2) == a.get(1, 2) + b.get(1, 2));
  const auto backward = [&](nn::batch<double, shape<3>> to_a, nn::batch<double, shape<3>> to_b) {
    nn::impl::run_backward_inputs(nn::add, nn::inputs_pass<double, in, out>{
                                     {a.read(), b.read()}, {y.read()}, {d_y.read()}, {to_a, to_b}});
  };
  backward(d_a.view(), d_b.view());
  CHECK(d_a.get(1, 1) == d_y.get(1, 1));
  CHECK(d_b.get(0, 2) == d_y.get(0, 2));
  backward(d_a.view(), {});
  backward({}, d_b.view());
}

}  // namespace residual_test
