// SPDX-License-Identifier: BSL-1.0
// BERT over sequences of tokens, as published runs trained it: by LAMB, and each layer begins with a checkpoint. The loss is that of the
// following text.
#pragma once

#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <pipeline_planner/networks.hpp>
#include <validation/bert.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pipeline_planner {

/// BERT-base with the words of those runs.
inline constexpr zoo::transformer bert_base_sizes{.vocabulary = 30'400, .positions = 512};

template <zoo::transformer Sizes, class Number, std::size_t Positions = validation::positions>
inline constexpr auto bert =
    single_stage(input<std::uint16_t, Positions>, per_sample<"segment", tensor<std::uint8_t, Positions>>,
                 per_sample<"text", tensor<std::uint8_t, Positions>>, per_sample<"follows", std::uint8_t>, validation::bert_in<Sizes, Number>,
                 zoo::bert_pooler<Sizes>, block<"loss">(nn::linear<2>, use<"follows">(nn::cross_entropy)));

template <zoo::transformer Sizes>
std::vector<train::planned_network> versions_of_bert() {
  return versions_of(bert<Sizes, float>, bert<Sizes, half>, train::lamb{}, train::basic_lamb<half, float>{});
}

}  // namespace pipeline_planner
