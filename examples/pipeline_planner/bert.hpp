// SPDX-License-Identifier: BSL-1.0
// BERT over sequences of 128 tokens, as published runs trained it: by LAMB, and each layer begins with a checkpoint. The loss is that of
// the following text.
#pragma once

#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/zoo/transformers.hpp>
#include <pipeline_planner/networks.hpp>
#include <validation/checkpoints.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pipeline_planner {

inline constexpr std::size_t positions = 128;
using number_of_each = tensor<std::uint8_t, positions>;

template <zoo::transformer Sizes, class Number>
inline constexpr auto encoder = hana::unpack(zoo::bert<Sizes>.blocks, [](const auto&, const auto&... layer) {
  return stage(block<"embeddings">(nn::embedding<Sizes.vocabulary, Sizes.width, Number>, use<"segment">(nn::add_embedding<2>),
                                   nn::position_embedding_up_to<Sizes.positions>, nn::layer_norm, nn::dropout<Sizes.dropout>),
               validation::after_checkpoint(layer)...);
});

template <zoo::transformer Sizes, class Number>
inline constexpr auto bert = single_stage(input<std::uint16_t, positions>, per_sample<"segment", number_of_each>, per_sample<"text", number_of_each>,
                                          per_sample<"follows", std::uint8_t>, encoder<Sizes, Number>, zoo::bert_pooler<Sizes>,
                                          block<"loss">(nn::linear<2>, use<"follows">(nn::cross_entropy)));

template <zoo::transformer Sizes>
std::vector<train::planned_network> versions_of_bert() {
  return versions_of(bert<Sizes, float>, bert<Sizes, half>, train::lamb{}, train::basic_lamb<half, float>{});
}

}  // namespace pipeline_planner
