// SPDX-License-Identifier: BSL-1.0
// A layer with the weights of another one, on tiles: it works on a copy of its own, as the layer alone would.
#pragma once

#include <ipuflow/nn/layers/tied.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

namespace ipuflow::nn {

template <fixed_string Table, class Layer, class Pass>
auto weights_on_tiles(tied_t<Table, Layer>, const Pass& l) -> decltype(weights_on_tiles(Layer{}, l)) {
  return weights_on_tiles(Layer{}, l);
}
template <fixed_string Table, class Layer>
constexpr auto reads_by_columns(tied_t<Table, Layer>) -> decltype(reads_by_columns(Layer{})) {
  return reads_by_columns(Layer{});
}
template <fixed_string Table, class Layer, class Pass>
auto lower_forward(tied_t<Table, Layer>, const Pass& l) -> decltype(lower_forward(Layer{}, l)) {
  return lower_forward(Layer{}, l);
}
template <fixed_string Table, class Layer, class Pass>
auto lower_backward_inputs(tied_t<Table, Layer>, const Pass& l) -> decltype(lower_backward_inputs(Layer{}, l)) {
  return lower_backward_inputs(Layer{}, l);
}
template <fixed_string Table, class Layer, class Pass>
auto lower_backward_weights(tied_t<Table, Layer>, const Pass& l) -> decltype(lower_backward_weights(Layer{}, l)) {
  return lower_backward_weights(Layer{}, l);
}

}  // namespace ipuflow::nn
