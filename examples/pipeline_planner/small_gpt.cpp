// SPDX-License-Identifier: BSL-1.0
// A small GPT-2 over 128 characters, six layers of 192 numbers, trained by AdamW.
#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <pipeline_planner/networks.hpp>

#include <cstddef>
#include <cstdint>

namespace pipeline_planner {

namespace {

constexpr std::size_t positions = 128, width = 192, heads = 6, layers = 6, vocabulary = 96;

constexpr auto layer = block<"layer">(
    keep<"x">, nn::layer_norm, nn::linear<3 * width>, nn::causal_attention<heads>, nn::linear<width>, use<"x">(nn::add),
    keep<"y">, nn::layer_norm, nn::linear<4 * width>, nn::gelu, nn::linear<width>, use<"y">(nn::add));

template <class Number>
constexpr auto gpt = single_stage(input<std::uint8_t, positions>, per_sample<"next", tensor<std::uint8_t, positions>>,
                                  block<"embeddings">(nn::embedding<vocabulary, width, Number>, nn::position_embedding), repeat<layers>(layer),
                                  block<"head">(nn::layer_norm, nn::linear<vocabulary>, use<"next">(nn::cross_entropy)));

}  // namespace

std::vector<train::planned_network> small_gpt() {
  return versions_of(gpt<float>, gpt<half>, train::adamw{}, train::basic_adam<train::decay::decoupled, half, float>{});
}

}  // namespace pipeline_planner
