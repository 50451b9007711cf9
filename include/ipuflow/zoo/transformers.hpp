// SPDX-License-Identifier: BSL-1.0
// Transformers as published: BERT (Devlin and others 2019), GPT-2 (Radford and others 2019) and ViT (Dosovitskiy and others 2021), each
// a stage of blocks: "embeddings", one for each layer, and what ends it. Behind stand heads, of which those that score tokens share the
// table of the embedding, and losses.
#pragma once

#include <ipuflow/graph/repeat.hpp>
#include <ipuflow/graph/stage.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/attention.hpp>
#include <ipuflow/nn/layers/attention_parts.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/layers/dropout.hpp>
#include <ipuflow/nn/layers/embedding.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/layers/residual.hpp>
#include <ipuflow/nn/layers/sequence_loss.hpp>
#include <ipuflow/nn/layers/sequence_parts.hpp>
#include <ipuflow/nn/layers/tied.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::zoo {

/// The sizes of a transformer.
struct transformer {
  std::size_t layers = 12;
  std::size_t width = 768;
  std::size_t heads = 12;
  std::size_t vocabulary = 0;  ///< tokens; of images none
  std::size_t positions = 0;   ///< the longest sequence; of images as many as there are
  double dropout = 0.1;
  double attention_dropout = 0;  ///< of the shares of attention; published BERT and GPT-2 had 0.1
};

inline constexpr transformer bert_base_sizes{.vocabulary = 30522, .positions = 512};
inline constexpr transformer bert_large_sizes{.layers = 24, .width = 1024, .heads = 16, .vocabulary = 30522, .positions = 512};
inline constexpr transformer gpt2_small_sizes{.vocabulary = 50257, .positions = 1024};
inline constexpr transformer gpt2_medium_sizes{.layers = 24, .width = 1024, .heads = 16, .vocabulary = 50257, .positions = 1024};
inline constexpr transformer vit_base_sizes{.dropout = 0};

namespace impl {

template <transformer T>
inline constexpr auto mixed = ops(nn::linear<T.width>, nn::dropout<T.dropout>);

template <transformer T, auto Gelu = nn::gelu>
inline constexpr auto widened = ops(nn::linear<4 * T.width>, Gelu, nn::linear<T.width>, nn::dropout<T.dropout>);

/// Attention, which is one operation where none of its shares are dropped.
template <transformer T, auto Whole, auto... Mask>
inline constexpr auto attended = [] {
  if constexpr (T.attention_dropout == 0)
    return Whole;
  else
    return ops(keep<"qkv">, nn::attention_scores<T.heads>, Mask..., nn::attention_shares, nn::dropout<T.attention_dropout>,
               use<"qkv">(nn::weighted_values));
}();

/// Norms before each branch, as GPT-2 and ViT have them.
template <transformer T, auto Attention, auto Gelu = nn::gelu>
inline constexpr auto norm_first =
    ops(keep<"x">, nn::layer_norm, nn::linear<3 * T.width>, Attention, mixed<T>, use<"x">(nn::add),
        keep<"y">, nn::layer_norm, widened<T, Gelu>, use<"y">(nn::add));

template <transformer T>
inline constexpr auto pooled = ops(nn::position<0>, nn::linear<T.width>, nn::tanh);

template <transformer T>
inline constexpr auto token_scores = ops(nn::gelu, nn::layer_norm, nn::tied<"embeddings[0]">(nn::linear<T.vocabulary>));

}  // namespace impl

/// BERT's encoder over tokens, with the values "segment", the kind of each position, and "text", the number of the text that it is
/// of: texts packed into one sequence do not see each other. Norms stand behind each sum.
template <transformer T>
inline constexpr auto bert = stage(
    block<"embeddings">(nn::embedding<T.vocabulary, T.width>, use<"segment">(nn::add_embedding<2>), nn::position_embedding_up_to<T.positions>,
                        nn::layer_norm, nn::dropout<T.dropout>),
    repeat<T.layers>(block<"layer">(
        keep<"x">, nn::linear<3 * T.width>, impl::attended<T, use<"text">(nn::attention<T.heads>), use<"text">(nn::segment_mask)>,
        impl::mixed<T>, use<"x">(nn::add), nn::layer_norm,
        keep<"y">, impl::widened<T>, use<"y">(nn::add), nn::layer_norm)));

/// BERT's view of a whole sequence: the first position, through one more layer.
template <transformer T>
inline constexpr auto bert_pooler = block<"pooler">(impl::pooled<T>);

/// BERT's scores of the tokens that could stand at each position, by the table of its embedding.
template <transformer T>
inline constexpr auto bert_tokens = block<"tokens">(nn::linear<T.width>, impl::token_scores<T>);

/// BERT's scores of the positions at which an answer begins, and at which it ends (SQuAD): a sequence of these two. Its cross-entropy
/// is the mean of both, with a label of two: `per_sample<"answer", tensor<std::uint16_t, 2>>`.
template <transformer T>
inline constexpr auto bert_answer = block<"answer">(nn::linear<2>, nn::swap_axes);

/// Both heads that BERT is first trained with, and the sum of their losses: if one text follows the other, value "follows", and the
/// tokens that are masked, value "token" of each position, which is `Ignored` where none is.
template <transformer T, std::int64_t Ignored = 65535>
inline constexpr auto bert_pretraining = stage(
    block<"pooler">(keep<"sequence">, impl::pooled<T>),
    block<"follows">(nn::linear<2>, use<"follows">(nn::cross_entropy), set_aside<"follows scores", "follows loss">),
    block<"tokens">(use<"sequence">(nn::linear<T.width>), impl::token_scores<T>, use<"token">(nn::cross_entropy_of<{.ignored = Ignored}>),
                    set_aside<"token scores", "token loss">, use<"token loss", "follows loss">(nn::add)));

/// GPT-2 over tokens, up to its last norm.
template <transformer T>
inline constexpr auto gpt2 = stage(
    block<"embeddings">(nn::embedding<T.vocabulary, T.width>, nn::position_embedding_up_to<T.positions>, nn::dropout<T.dropout>),
    repeat<T.layers>(block<"layer">(impl::norm_first<T, impl::attended<T, nn::causal_attention<T.heads>, nn::causal_mask>, nn::gelu_by_tanh>)),
    block<"norm">(nn::layer_norm));

/// GPT-2's scores of the token that is next to each position, by the table of its embedding.
template <transformer T>
inline constexpr auto gpt2_tokens = block<"tokens">(nn::tied<"embeddings[0]">(without_biases(nn::linear<T.vocabulary>)));

/// ViT over images, whose patches are `Patch` pixels wide and high.
template <transformer T, std::size_t Patch, std::size_t Classes = 1000>
inline constexpr auto vit = stage(
    block<"embeddings">(nn::conv2d<T.width, Patch, Patch>, nn::to_sequence, nn::class_token, nn::position_embedding, nn::dropout<T.dropout>),
    repeat<T.layers>(block<"layer">(impl::norm_first<T, impl::attended<T, nn::attention<T.heads>>>)),
    block<"head">(nn::layer_norm, nn::position<0>, nn::linear<Classes>));

}  // namespace ipuflow::zoo
