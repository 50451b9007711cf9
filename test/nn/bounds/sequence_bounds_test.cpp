// SPDX-License-Identifier: BSL-1.0
// What layers of sequences say of themselves; that it is enough, train/bounds/verify_fits_test.cpp counts.
#include <ipuflow/nn/bounds/sequence_bounds.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sequence_bounds_test {

using namespace ipuflow;

constexpr nn::bound_question q{.samples = 8, .parameters = ipu::element_type::f16, .accumulators = ipu::element_type::f16};
using tokens = tensor<std::uint16_t, 128>;
using rows = tensor<half, 128, 256>;

template <class In, class Out>
constexpr nn::layer_bound bound(auto layer, In in, Out out, const nn::bound_question& of = q) {
  return bound_on_tiles(layer, in, out, of);
}

TEST_CASE("a table stands in blocks: a tile has one, and what is looked up there") {
  constexpr nn::layer_bound b = bound(nn::embedding<30'000, 256, half>, nn::in<tokens>{}, nn::out<rows>{});
  static_assert(b.weights >= 30'000 * 256 / 1472 && b.weights < 2 * 30'000 * 256 / 1472);
  CHECK(b.forward.temporary >= 1024 * 4);  // of 8 x 128 indices, which every tile has
  CHECK(b.to_inputs == nn::pass_bound{});  // nothing flows back into tokens
  auto floats = q;
  floats.accumulators = ipu::element_type::f32;
  CHECK(bound(nn::embedding<30'000, 256, half>, nn::in<tokens>{}, nn::out<rows>{}, floats).to_weights.temporary ==
        b.to_weights.temporary - b.weights * 4);  // where sums are floats they are added to where they stay
}

TEST_CASE("attention has squares of scores: two forward, three backward") {
  using qkv = tensor<half, 128, 768>;
  constexpr nn::layer_bound b = bound(nn::causal_attention<4>, nn::in<qkv>{}, nn::out<rows>{});
  constexpr nn::impl::head_products heads(q, {8, 4, 128, 256, ipu::amp_precision::half_float});
  static_assert(heads.turns == 1 && heads.rows == 3 * 128);  // 32 pairs have 46 tiles each, of 128 queries three
  CHECK(b.forward.temporary >= 2 * heads.rows * 2 + heads.temporary);
  CHECK(b.to_inputs.temporary >= 3 * heads.rows * 2 + heads.temporary);
  CHECK(bound(nn::attention<4>, nn::in<qkv, tensor<std::uint8_t, 128>>{}, nn::out<rows>{}).forward.temporary >= b.forward.temporary);
}

TEST_CASE("exchange code of attention is capped by its cuts: not far above what was counted, nor below it where memory is scarce") {
  using qkv = tensor<half, 128, 3072>;
  constexpr auto code = [](const nn::bound_question& of) {
    const nn::layer_bound b = bound(nn::causal_attention<16>, nn::in<qkv>{}, nn::out<tensor<half, 128, 1024>>{}, of);
    return std::array{b.forward.exchange, b.to_inputs.exchange};
  };
  constexpr auto one = code({.samples = 1}), little = code({.chip = ipu::mk1, .samples = 16, .memory_proportion = 0.05});
  static_assert(one[0] >= 384 && one[0] < 2'500 && one[1] >= 2'196 && one[1] < 7'000);  // counted behind a norm; 4,616 and 13,128 by one cap for all products
  static_assert(little[0] >= 4'972 && little[1] >= 15'284);  // counted; 3,560 and 9,960 by that cap
}

TEST_CASE("the more heads than tiles, the more turns and rows on a tile") {
  constexpr nn::bound_question many{.samples = 500};
  constexpr nn::impl::head_products heads(many, {500, 12, 16, 96, ipu::amp_precision::half_float});
  static_assert(heads.turns == 5);  // 6,000 pairs on 1,472 tiles
  static_assert(heads.rows == 5 * 16 * 16);
}

TEST_CASE("parts of attention, masks and softmax are known") {
  using qkv = tensor<half, 128, 768>;
  using scores = tensor<half, 128, 512>;
  CHECK(bound(nn::attention_scores<4>, nn::in<qkv>{}, nn::out<scores>{}).forward.temporary > 0);
  CHECK(bound(nn::weighted_values, nn::in<scores, qkv>{}, nn::out<rows>{}).to_inputs.temporary > 0);
  const nn::layer_bound shares = bound(nn::attention_shares, nn::in<scores>{}, nn::out<scores>{});
  CHECK(shares.forward.temporary >= 2 * q.spread(ipu::element_type::f16, scores::elements));
  CHECK(shares.to_inputs.temporary > shares.forward.temporary);
  CHECK(bound(nn::softmax, nn::in<tensor<half, 1000>>{}, nn::out<tensor<half, 1000>>{}).forward.temporary >= 2 * 2000);
  const auto causal = bound(nn::causal_mask, nn::in<scores>{}, nn::out<scores>{});
  const auto apart = bound(nn::segment_mask, nn::in<scores, tensor<std::uint8_t, 128>>{}, nn::out<scores>{});
  CHECK(apart.forward.temporary >= causal.forward.temporary + 128 * 4);
}

TEST_CASE("what turns a value round moves it element by element, what cuts it does not") {
  using image = tensor<half, 256, 16, 8>;
  const auto turned = bound(nn::to_sequence, nn::in<image>{}, nn::out<rows>{}), token = bound(nn::class_token, nn::in<rows>{}, nn::out<tensor<half, 129, 256>>{});
  CHECK(turned.forward.exchange > 2 * q.spread(ipu::element_type::f16, rows::elements));
  CHECK(bound(nn::swap_axes, nn::in<rows>{}, nn::out<tensor<half, 256, 128>>{}).forward == turned.forward);
  CHECK(token.forward.exchange < turned.forward.exchange);
  CHECK(token.to_weights.temporary > 0);
  CHECK(bound(nn::position<0>, nn::in<rows>{}, nn::out<tensor<half, 256>>{}).to_inputs.temporary > 0);
  CHECK(bound(nn::position_embedding, nn::in<rows>{}, nn::out<rows>{}).to_weights.temporary >
        bound(nn::position_embedding, nn::in<rows>{}, nn::out<rows>{}).to_inputs.temporary);
}

}  // namespace sequence_bounds_test
