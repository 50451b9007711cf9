// SPDX-License-Identifier: BSL-1.0
// BERT as published runs had it: the layers of the zoo, each of which begins with a checkpoint, behind embeddings in a type of number.
#pragma once

#include <ipuflow/zoo/transformers.hpp>
#include <validation/checkpoints.hpp>

#include <cstddef>
#include <cstdint>

namespace validation {

inline constexpr std::size_t positions = 128;
using number_of_each = tensor<std::uint8_t, positions>;

/// BERT-large with the words of those runs.
inline constexpr zoo::transformer bert_large{.layers = 24, .width = 1024, .heads = 16, .vocabulary = 30'400, .positions = 512};

template <zoo::transformer T, class Number>
inline constexpr auto bert_in = hana::unpack(zoo::bert<T>.blocks, [](const auto&, const auto&... layer) {
  return stage(block<"embeddings">(nn::embedding<T.vocabulary, T.width, Number>, use<"segment">(nn::add_embedding<2>),
                                   nn::position_embedding_up_to<T.positions>, nn::layer_norm, nn::dropout<T.dropout>),
               after_checkpoint(layer)...);
});

/// One of its layers, by itself.
inline constexpr zoo::transformer one_layer{.layers = 1, .width = 1024, .heads = 16, .vocabulary = 30'400, .positions = 512};
inline constexpr auto bert_layer =
    hana::unpack(zoo::bert<one_layer>.blocks, [](const auto&, const auto& layer) { return after_checkpoint(layer); });

}  // namespace validation
