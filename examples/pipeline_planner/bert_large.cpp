// SPDX-License-Identifier: BSL-1.0
// BERT-large over sequences of 128 tokens, as published runs trained it: by LAMB, and each layer begins with a checkpoint. The loss
// is that of the following text.
#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/zoo/transformers.hpp>
#include <pipeline_planner/networks.hpp>
#include <validation/checkpoints.hpp>

#include <cstddef>
#include <cstdint>

namespace pipeline_planner {

namespace {

constexpr std::size_t positions = 128;
constexpr zoo::transformer sizes{.layers = 24, .width = 1024, .heads = 16, .vocabulary = 30'400, .positions = 512};
using number_of_each = tensor<std::uint8_t, positions>;

template <class Number>
constexpr auto encoder = hana::unpack(zoo::bert<sizes>.blocks, [](const auto&, const auto&... layer) {
  return stage(block<"embeddings">(nn::embedding<sizes.vocabulary, sizes.width, Number>, use<"segment">(nn::add_embedding<2>),
                                   nn::position_embedding_up_to<sizes.positions>, nn::layer_norm, nn::dropout<sizes.dropout>),
               validation::after_checkpoint(layer)...);
});

template <class Number>
constexpr auto bert = single_stage(input<std::uint16_t, positions>, per_sample<"segment", number_of_each>, per_sample<"text", number_of_each>,
                                   per_sample<"follows", std::uint8_t>, encoder<Number>, zoo::bert_pooler<sizes>,
                                   block<"loss">(nn::linear<2>, use<"follows">(nn::cross_entropy)));

}  // namespace

std::vector<train::planned_network> bert_large() {
  return versions_of(bert<float>, bert<half>, train::lamb{}, train::basic_lamb<half, float>{});
}

}  // namespace pipeline_planner
