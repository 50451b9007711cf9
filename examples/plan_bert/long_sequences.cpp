// SPDX-License-Identifier: BSL-1.0
#include <pipeline_planner/bert.hpp>
#include <plan_bert/long_sequences.hpp>

#include <cstddef>
#include <cstdint>

namespace plan_bert {

using namespace ipuflow;

namespace {

template <std::size_t Positions>
std::vector<train::planned_network> base_over() {
  return {train::planned(pipeline_planner::bert<pipeline_planner::bert_base_sizes, half, Positions>, plan::numbers::f16_16,
                         train::basic_lamb<half, float>{})};
}

constexpr zoo::transformer large = [] {
  zoo::transformer sizes = validation::bert_large;
  sizes.attention_dropout = 0.1;
  return sizes;
}();

constexpr std::size_t question_and_text = 384;
using number_of_each = tensor<std::uint8_t, question_and_text>;
constexpr auto questions =
    single_stage(input<std::uint16_t, question_and_text>, per_sample<"segment", number_of_each>, per_sample<"text", number_of_each>,
                 per_sample<"answer", tensor<std::uint16_t, 2>>, validation::bert_in<large, half>, zoo::bert_answer<large>,
                 block<"loss">(use<"answer">(nn::cross_entropy)));

}  // namespace

std::vector<train::planned_network> base_over_512_tokens() { return base_over<512>(); }
std::vector<train::planned_network> base_over_384_tokens() { return base_over<384>(); }
std::vector<train::planned_network> large_for_questions() {
  return {train::planned(questions, plan::numbers::f16_16, train::basic_adam<train::decay::decoupled, half, float>{})};
}

}  // namespace plan_bert
