// SPDX-License-Identifier: BSL-1.0
// A kernel writes to the gradient that it is given to read.
// expect: const.*lanes<float>
#include <ipuflow/core.hpp>

#include <ipuflow/nn/layer.hpp>

using namespace ipuflow;

struct twice_t {};

template <class Type>
constexpr Type output_of(twice_t, Type) {
  return {};
}
template <class Type>
constexpr nn::layer_facts facts(twice_t, Type) {
  return {};
}
template <class T, class S>
void forward(twice_t, nn::forward_pass<T, nn::in<S>, nn::out<S>>) {}
template <class T, class S>
void backward_inputs(twice_t, nn::inputs_pass<T, nn::in<S>, nn::out<S>> pass) {
  const auto [d_y] = pass.d_out;
  const auto [d_x] = pass.d_in;
#ifdef EXPECT_FAILURE
  for (std::size_t i = 0; i < d_x.size(); ++i) d_y[i] = d_x[i];
#else
  for (std::size_t i = 0; i < d_x.size(); ++i) d_x[i] = d_y[i];
#endif
}

using of = shape<3>;
void go_back(const nn::inputs_pass<float, nn::in<of>, nn::out<of>>& pass) { backward_inputs(twice_t{}, pass); }
