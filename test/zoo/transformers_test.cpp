// SPDX-License-Identifier: BSL-1.0
// Transformers have the parameters that are published, and give what PyTorch gives. Expected values: torch_values.py.
#include "zoo_check.hpp"

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/graph/regroup.hpp>
#include <ipuflow/nn/layers/sequence_loss.hpp>
#include <ipuflow/nn/stage/stage_program.hpp>
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>
#include <ipuflow/zoo/transformers.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace transformers_test {

using namespace zoo_test;

namespace {

template <auto Sizes, class Pooler>
constexpr auto bert_with(const Pooler& pooler) {
  return single_stage(input<std::uint16_t, 16>, per_sample<"segment", tensor<std::uint8_t, 16>>, per_sample<"text", tensor<std::uint8_t, 16>>,
                      zoo::bert<Sizes>, pooler);
}
template <auto Sizes, std::size_t Positions, class... Head>
constexpr auto bert_trained_by(const Head&... head) {
  return single_stage(input<std::uint16_t, Positions>, per_sample<"segment", tensor<std::uint8_t, Positions>>,
                      per_sample<"text", tensor<std::uint8_t, Positions>>, per_sample<"token", tensor<std::uint16_t, Positions>>,
                      per_sample<"follows", std::uint8_t>, zoo::bert<Sizes>, head...);
}
constexpr auto bert_base = bert_with<zoo::bert_base_sizes>(zoo::bert_pooler<zoo::bert_base_sizes>);
constexpr auto bert_large = bert_with<zoo::bert_large_sizes>(zoo::bert_pooler<zoo::bert_large_sizes>);
constexpr auto gpt2_small = single_stage(input<std::uint16_t, 16>, zoo::gpt2<zoo::gpt2_small_sizes>);
constexpr auto gpt2_medium = single_stage(input<std::uint16_t, 16>, zoo::gpt2<zoo::gpt2_medium_sizes>);
constexpr auto vit_base = single_stage(input<float, 3, 224, 224>, zoo::vit<zoo::vit_base_sizes, 16>);

static_assert(parameters_of(bert_base) == 109'482'240);
static_assert(parameters_of(bert_large) == 335'141'888);
static_assert(parameters_of(bert_with<zoo::bert_large_sizes>(zoo::bert_answer<zoo::bert_large_sizes>)) == 335'141'888 - 1024 * 1025 + 2 * 1025);
static_assert(parameters_of(gpt2_small) == 124'439'808);
static_assert(parameters_of(gpt2_medium) == 354'823'168);
static_assert(parameters_of(single_stage(input<std::uint16_t, 16>, zoo::gpt2<zoo::gpt2_small_sizes>, zoo::gpt2_tokens<zoo::gpt2_small_sizes>)) ==
              124'439'808);
static_assert(parameters_of(vit_base) == 86'567'656);

static_assert(std::is_same_v<stage_output<decltype(bert_large), 0>, std::tuple<tensor<float, 1024>>>);
static_assert(std::is_same_v<stage_output<decltype(gpt2_small), 0>, std::tuple<tensor<float, 16, 768>>>);
static_assert(std::is_same_v<stage_output<decltype(vit_base), 0>, std::tuple<tensor<float, 1000>>>);

/// A plan for BERT-large over four chips, all of it in constant expressions.
constexpr auto bert_on_four =
    regroup(bert_trained_by<zoo::bert_large_sizes, 128>(zoo::bert_pretraining<zoo::bert_large_sizes>),
            stage<"embeddings", "layer[0:6]">().ipu<0>(), stage<"layer[6:12]">().ipu<1>(), stage<"layer[12:18]">().ipu<2>(),
            stage<"layer[18:24]", "pooler", "follows", "tokens">().ipu<3>());
static_assert(parameters_of(bert_on_four) == 336'226'108);
static_assert(nn::stage_program<decltype(bert_on_four), 1, float>::parameter_count == 6 * 12'596'224);
static_assert(schedule::fifo_depths(schedule::one_f_one_b(bert_on_four, micro_batches<16>))[0] == 3);

}  // namespace

TEST_CASE("a ViT gives PyTorch's values") {
  constexpr zoo::transformer sizes{.layers = 2, .width = 48, .heads = 3, .dropout = 0};
  constexpr auto small = block_by_block<3, 16, 16>(zoo::vit<sizes, 4, 10>);
  check_values(values_of_second_image(small, 3), {0.0682825f, -1.75613f, -0.83417f, 1.02422f, 0.342329f, -0.46255f, 0.837581f, 1.09942f,
                                                  -0.156711f, 1.16522f});
}

namespace {

constexpr zoo::transformer small_sizes{.layers = 2, .width = 48, .heads = 3, .vocabulary = 40, .positions = 16, .dropout = 0};
constexpr std::size_t positions = 12;

/// Texts of 5, 5 and 2 positions in each sequence.
template <class P>
std::vector<float> values_of_bert(const P& network) {
  return values_of_second_text<small_sizes.vocabulary>(network, 3, [](auto& run) {
    set_input<1>(run, [](std::size_t, std::size_t e) { return e >= 5; });
    set_input<2>(run, [](std::size_t, std::size_t e) { return (e >= 5) + (e >= 10); });
    set_input<3>(run, [](std::size_t s, std::size_t e) { return e % 4 == 1 ? (7 * e + s) % small_sizes.vocabulary : 65535; });
    set_input<4>(run, [](std::size_t s, std::size_t) { return s % 2; });
  });
}

}  // namespace

TEST_CASE("BERT gives PyTorch's values, by each of its heads") {
  check_values(values_of_bert(bert_trained_by<small_sizes, positions>(zoo::bert_tokens<small_sizes>)),
               {0.765156f, 0.629786f, -0.827422f, -0.178516f, -0.473513f, 1.39512f, -0.610912f, 9.33707e-05f, 0.45593f, 0.935163f});
  check_values(values_of_bert(bert_trained_by<small_sizes, positions>(zoo::bert_pooler<small_sizes>, block<"follows">(nn::linear<2>))),
               {-1.00826f, -0.14391f});
  check_values(values_of_bert(bert_trained_by<small_sizes, positions>(zoo::bert_answer<small_sizes>)),
               {0.732344f, 0.158255f, -0.0982825f, -2.37695f, -1.90748f, -1.59264f, -2.51168f, -1.96913f, -1.0897f, -1.2334f});
  check_values(values_of_bert(bert_trained_by<small_sizes, positions>(zoo::bert_pretraining<small_sizes>)), {1.42438f});
}

TEST_CASE("GPT-2 gives PyTorch's values") {
  constexpr auto small = single_stage(input<std::uint16_t, positions>, zoo::gpt2<small_sizes>, zoo::gpt2_tokens<small_sizes>);
  check_values(values_of_second_text<small_sizes.vocabulary>(small, 3, [](auto&) {}),
               {-0.11302f, -2.04028f, 0.168937f, 1.76916f, -0.132894f, -1.37362f, -1.70589f, -1.04293f, 0.44767f, -0.0556433f});
}

TEST_CASE("shares of attention are dropped in training alone, and not between texts or from what is next") {
  constexpr auto dropping = [](zoo::transformer sizes) {
    sizes.attention_dropout = 0.25;
    return sizes;
  };
  constexpr zoo::transformer sizes = dropping(small_sizes);
  check_values(values_of_bert(bert_trained_by<sizes, positions>(zoo::bert_answer<sizes>)),
               {0.732344f, 0.158255f, -0.0982825f, -2.37695f, -1.90748f, -1.59264f, -2.51168f, -1.96913f, -1.0897f, -1.2334f});
  constexpr auto small = single_stage(input<std::uint16_t, positions>, zoo::gpt2<sizes>, zoo::gpt2_tokens<sizes>);
  check_values(values_of_second_text<sizes.vocabulary>(small, 3, [](auto&) {}),
               {-0.11302f, -2.04028f, 0.168937f, 1.76916f, -0.132894f, -1.37362f, -1.70589f, -1.04293f, 0.44767f, -0.0556433f});
  static_assert(parameters_of(single_stage(input<float, 3, 224, 224>, zoo::vit<dropping(zoo::vit_base_sizes), 16>)) == 86'567'656);
}

TEST_CASE("layers are blocks of their own, to be put on stages") {
  CHECK(bert_large.names().size() == 26);
  CHECK(bert_large.names()[1] == "layer[0]");
  CHECK(bert_large.names()[24] == "layer[23]");
  constexpr auto two = regroup(gpt2_small, stage<"embeddings", "layer[0:6]">().ipu<0>(), stage<"layer[6:12]", "norm">().ipu<1>());
  CHECK(two.stage_count == 2);
  CHECK(parameters_of(two) == parameters_of(gpt2_small));
}

}  // namespace transformers_test
