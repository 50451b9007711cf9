// SPDX-License-Identifier: BSL-1.0
// The small language model with a table that its last stage scores tokens by: what tests of shared weights share.
#pragma once

#include "small_gpt.hpp"

#include <ipuflow/train/named_tensors.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ipuflow::test {

template <class... Head>
constexpr auto gpt_with_head(Head... head) {
  return pipeline(input<std::uint8_t, gpt_positions>, per_sample<"text", tensor<std::uint8_t, gpt_positions>>,
                  per_sample<"next", tensor<std::uint8_t, gpt_positions>>,
                  block<"embed">(nn::embedding<gpt_vocabulary, 12>, use<"text">(nn::add_embedding<3>), nn::position_embedding),
                  repeat<2>(block<"layer">(keep<"x">, nn::layer_norm, nn::linear<36>, use<"text">(nn::causal_attention<2>), nn::linear<12>,
                                           use<"x">(nn::add), keep<"y">, nn::layer_norm, nn::linear<24>, nn::gelu, nn::linear<12>, use<"y">(nn::add))),
                  block<"head">(nn::layer_norm, head..., use<"next">(nn::cross_entropy)));
}

inline constexpr auto tied_gpt = gpt_with_head(nn::tied<"embed[0]">(nn::linear<gpt_vocabulary>));
inline constexpr auto untied_gpt = gpt_with_head(nn::linear<gpt_vocabulary>);

/// A smaller one without attention, for the many ways to run it on chips.
template <class Head>
constexpr auto tokens_with_head(Head head) {
  return pipeline(input<std::uint8_t, gpt_positions>, per_sample<"text", tensor<std::uint8_t, gpt_positions>>,
                  per_sample<"next", tensor<std::uint8_t, gpt_positions>>, block<"embed">(nn::embedding<gpt_vocabulary, 12>),
                  block<"mix">(use<"text">(nn::add_embedding<3>), nn::linear<12>, nn::tanh), block<"more">(nn::linear<12>),
                  block<"head">(nn::layer_norm, head, use<"next">(nn::cross_entropy)));
}

inline constexpr auto tied_tokens = tokens_with_head(nn::tied<"embed[0]">(without_biases(nn::linear<gpt_vocabulary>)));
inline constexpr auto untied_tokens = tokens_with_head(without_biases(nn::linear<gpt_vocabulary>));

/// Numbers of the table, and the first one of the copy in the head: behind a norm of 12 scales and shifts.
inline constexpr std::size_t table_size = gpt_vocabulary * 12;
template <class P>
std::size_t first_of_copy(const P& network) {
  for (const train::named_tensor& t : train::named_tensors(network)) {
    if (t.name == "head[1] weights") return t.first;
  }
  return 0;
}

/// True if all numbers of the table are those of the copy, in the order of the model.
template <class P, class Numbers>
bool copies_agree(const P& network, const Numbers& all) {
  const auto begin = all.begin();
  return std::equal(begin, begin + table_size, begin + static_cast<std::ptrdiff_t>(first_of_copy(network)));
}

}  // namespace ipuflow::test
