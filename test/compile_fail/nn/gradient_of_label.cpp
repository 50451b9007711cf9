// SPDX-License-Identifier: BSL-1.0
// A kernel would write a gradient of a label, which has none.
// expect: (error: 2 names provided|decomposes into 1 element)
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

using namespace ipuflow;

struct loss_t {};

template <class Label>
constexpr tensor<float> output_of(loss_t, tensor<float, 3>, Label) {
  return {};
}
template <class Label>
constexpr nn::layer_facts facts(loss_t, tensor<float, 3>, Label) {
  return {};
}
template <class T, class Label>
void forward(loss_t, nn::forward_pass<T, nn::in<shape<3>, Label>, nn::out<shape<>>>) {}

template <class T, class Label>
void backward_inputs(loss_t, nn::inputs_pass<T, nn::in<shape<3>, Label>, nn::out<shape<>>> pass) {
#ifdef EXPECT_FAILURE
  const auto [d_x, d_label] = pass.d_in;
#else
  const auto [d_x] = pass.d_in;
#endif
  nn::clear(d_x);
}

using from = nn::in<shape<3>, int>;
void go_back(const nn::inputs_pass<float, from, nn::out<shape<>>>& pass) { backward_inputs(loss_t{}, pass); }
