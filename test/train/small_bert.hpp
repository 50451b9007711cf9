// SPDX-License-Identifier: BSL-1.0
// A tiny BERT of the zoo that guesses masked tokens, and made-up texts for it: two in a sequence, of two segments, which do not see
// each other; only masked positions have a label.
#pragma once

#include "small_network.hpp"

#include <ipuflow/zoo/transformers.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace ipuflow::test {

inline constexpr zoo::transformer small_bert_sizes{.layers = 2, .width = 12, .heads = 2, .vocabulary = 20, .positions = 10};
inline constexpr std::size_t bert_positions = 9;  // fewer than there could be
inline constexpr std::uint8_t not_masked = 255;

inline constexpr auto small_bert = single_stage(
    input<std::uint8_t, bert_positions>, per_sample<"segment", tensor<std::uint8_t, bert_positions>>,
    per_sample<"text", tensor<std::uint8_t, bert_positions>>, per_sample<"token", tensor<std::uint8_t, bert_positions>>,
    zoo::bert<small_bert_sizes>,
    block<"masked">(nn::linear<small_bert_sizes.width>, nn::gelu, nn::layer_norm, nn::linear<small_bert_sizes.vocabulary>,
                    use<"token">(nn::cross_entropy_of<{.ignored = not_masked}>)));

/// Texts in which each token follows from the one before; every third is masked by token 0.
class made_up_masked_texts {
 public:
  explicit made_up_masked_texts(std::size_t count, std::uint64_t seed = 7)
      : tokens_(count * bert_positions), segments_(tokens_.size()), labels_(tokens_.size()) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::size_t sample = i / bert_positions, position = i % bert_positions, second = 4 + sample % 3;
      segments_[i] = position >= second;
      const bool first = position == 0 || position == second;
      const std::size_t begin = i - (position >= second ? position - second : position);
      const std::size_t token = first ? nn::random_bits(seed, i) % 19 : 3 * (nn::random_bits(seed, begin) % 19) + (i - begin);
      const bool masked = nn::random_bits(seed + 1, i) % 3 == 0;
      labels_[i] = masked ? static_cast<std::uint8_t>(1 + token % 19) : not_masked;
      tokens_[i] = masked ? std::uint8_t{0} : static_cast<std::uint8_t>(1 + token % 19);
    }
    columns_ = {{tokens_.data(), count, bert_positions}, {segments_.data(), count, bert_positions},
                {segments_.data(), count, bert_positions}, {labels_.data(), count, bert_positions}};
  }

  std::size_t size() const { return tokens_.size() / bert_positions; }
  const auto& columns() const { return columns_; }

 private:
  using column = feed::column_view<std::span<const std::uint8_t>>;
  std::vector<std::uint8_t> tokens_, segments_, labels_;
  std::tuple<column, column, column, column> columns_;
};

}  // namespace ipuflow::test
