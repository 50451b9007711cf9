// SPDX-License-Identifier: BSL-1.0
// A layer that shares the weights of another one, as language models do with the table of their tokens and the layer that scores
// them: `nn::tied<"embed[0]">(nn::linear<50257>)`. Each has a copy on its stage. Copies begin as the table, gradients of all are added
// up before the update, and all stay equal bit by bit: ties.hpp finds them, sessions keep them so.
#pragma once

#include <ipuflow/core/fixed_string.hpp>
#include <ipuflow/nn/layer.hpp>

#include <cstdint>

namespace ipuflow::nn {

template <fixed_string Table, class Layer>
struct tied_t {};

/// `Table`: the layer that has the weights, by its block and which of its ops it is, as in files of weights. They have as many rows
/// and columns as those of the layer, whose biases are its own.
template <fixed_string Table, class Layer>
[[nodiscard]] constexpr tied_t<Table, Layer> tied(Layer) {
  return {};
}

template <fixed_string Table, class Layer, class... Type>
[[nodiscard]] constexpr auto output_of(tied_t<Table, Layer>, Type... in) -> decltype(output_of(Layer{}, in...)) {
  return {};
}

template <fixed_string Table, class Layer, class... Type>
[[nodiscard]] constexpr auto facts(tied_t<Table, Layer>, Type... in) -> decltype(facts(Layer{}, in...)) {
  layer_facts known = facts(Layer{}, in...);
  known.tied_to = Table.view();
  return known;
}

template <fixed_string Table, class Layer, class Pass>
auto forward(tied_t<Table, Layer>, const Pass& pass) -> decltype(forward(Layer{}, pass)) {
  forward(Layer{}, pass);
}
template <fixed_string Table, class Layer, class Pass>
auto backward_inputs(tied_t<Table, Layer>, const Pass& pass) -> decltype(backward_inputs(Layer{}, pass)) {
  backward_inputs(Layer{}, pass);
}
template <fixed_string Table, class Layer, class Pass>
auto backward_weights(tied_t<Table, Layer>, const Pass& pass) -> decltype(backward_weights(Layer{}, pass)) {
  backward_weights(Layer{}, pass);
}

/// As the layer alone; `train::initial_model` then copies the table.
template <fixed_string Table, class Layer, class Type, class T>
constexpr auto initialise_layer(tied_t<Table, Layer>, Type in, std::uint64_t seed, T* values, T* state)
    -> decltype(initialise_layer(Layer{}, in, seed, values, state)) {
  initialise_layer(Layer{}, in, seed, values, state);
}

}  // namespace ipuflow::nn
