// SPDX-License-Identifier: BSL-1.0
// A language model of two layers on four stages, and made-up texts for it: what tests of sequences share.
#pragma once

#include "small_network.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace ipuflow::test {

inline constexpr std::size_t gpt_positions = 9, gpt_vocabulary = 20;

/// Each position reads its token and those before; where it stands in a packed text, it sees that text alone.
template <class Number>
inline constexpr auto small_gpt_in = pipeline(
    input<std::uint8_t, gpt_positions>, per_sample<"text", tensor<std::uint8_t, gpt_positions>>,
    per_sample<"next", tensor<std::uint8_t, gpt_positions>>,
    block<"embed">(nn::embedding<gpt_vocabulary, 12, Number>, use<"text">(nn::add_embedding<3>), nn::position_embedding, nn::dropout<0.1>),
    repeat<2>(block<"layer">(keep<"x">, nn::layer_norm, nn::linear<36>, use<"text">(nn::causal_attention<2>), nn::linear<12>, use<"x">(nn::add),
                             keep<"y">, nn::layer_norm, nn::linear<24>, nn::gelu, nn::linear<12>, use<"y">(nn::add))),
    block<"head">(nn::layer_norm, nn::linear<gpt_vocabulary>, use<"next">(nn::cross_entropy)));
inline constexpr auto small_gpt = small_gpt_in<float>;

/// Texts in which each token follows from the one before, two or three of them to a sample.
class made_up_texts {
 public:
  explicit made_up_texts(std::size_t count, std::uint64_t seed = 7)
      : tokens_(count * gpt_positions), texts_(tokens_.size()), next_(tokens_.size()) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::size_t sample = i / gpt_positions, position = i % gpt_positions;
      texts_[i] = static_cast<std::uint8_t>(position / (3 + sample % 3));
      const bool first = position == 0 || texts_[i] != texts_[i - 1];
      tokens_[i] = static_cast<std::uint8_t>(first ? nn::random_bits(seed, i) % gpt_vocabulary : next_[i - 1]);
      next_[i] = static_cast<std::uint8_t>((3u * tokens_[i] + 1u) % gpt_vocabulary);
    }
    columns_ = {{tokens_.data(), count, gpt_positions}, {texts_.data(), count, gpt_positions}, {next_.data(), count, gpt_positions}};
  }

  std::size_t size() const { return tokens_.size() / gpt_positions; }
  const auto& columns() const { return columns_; }

 private:
  using column = feed::column_view<std::span<const std::uint8_t>>;
  std::vector<std::uint8_t> tokens_, texts_, next_;
  std::tuple<column, column, column> columns_;
};

}  // namespace ipuflow::test
