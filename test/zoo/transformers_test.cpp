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

namespace transformers_test {

using namespace zoo_test;

namespace {

template <auto Sizes, class Pooler>
constexpr auto bert_with(const Pooler& pooler) {
  return single_stage(input<std::uint16_t, 16>, per_sample<"segment", tensor<std::uint8_t, 16>>, per_sample<"text", tensor<std::uint8_t, 16>>,
                      zoo::bert<Sizes>, pooler);
}
constexpr auto bert_base = bert_with<zoo::bert_base_sizes>(zoo::bert_pooler<zoo::bert_base_sizes>);
constexpr auto bert_large = bert_with<zoo::bert_large_sizes>(zoo::bert_pooler<zoo::bert_large_sizes>);
constexpr auto gpt2_small = single_stage(input<std::uint16_t, 16>, zoo::gpt2<zoo::gpt2_small_sizes>);
constexpr auto gpt2_medium = single_stage(input<std::uint16_t, 16>, zoo::gpt2<zoo::gpt2_medium_sizes>);
constexpr auto vit_base = single_stage(input<float, 3, 224, 224>, zoo::vit<zoo::vit_base_sizes, 16>);

static_assert(parameters_of(bert_base) == 109'482'240);
static_assert(parameters_of(bert_large) == 335'141'888);
static_assert(parameters_of(gpt2_small) == 124'439'808);
static_assert(parameters_of(gpt2_medium) == 354'823'168);
static_assert(parameters_of(vit_base) == 86'567'656);

static_assert(std::is_same_v<stage_output<decltype(bert_large), 0>, std::tuple<tensor<float, 1024>>>);
static_assert(std::is_same_v<stage_output<decltype(gpt2_small), 0>, std::tuple<tensor<float, 16, 768>>>);
static_assert(std::is_same_v<stage_output<decltype(vit_base), 0>, std::tuple<tensor<float, 1000>>>);

/// A plan for BERT-large over four chips, all of it in constant expressions.
constexpr auto bert_on_four = regroup(
    pipeline(input<std::uint16_t, 128>, per_sample<"segment", tensor<std::uint8_t, 128>>, per_sample<"text", tensor<std::uint8_t, 128>>,
             per_sample<"next", tensor<std::uint16_t, 128>>, zoo::bert<zoo::bert_large_sizes>,
             block<"head">(nn::linear<1024>, nn::gelu, nn::layer_norm, nn::linear<30522>, use<"next">(nn::cross_entropy))),
    stage<"embeddings", "layer[0:6]">().ipu<0>(), stage<"layer[6:12]">().ipu<1>(), stage<"layer[12:18]">().ipu<2>(),
    stage<"layer[18:24]", "head">().ipu<3>());
static_assert(nn::stage_program<decltype(bert_on_four), 1, float>::parameter_count == 6 * 12'596'224);
static_assert(schedule::fifo_depths(schedule::one_f_one_b(bert_on_four, micro_batches<16>))[0] == 3);

}  // namespace

TEST_CASE("a ViT gives PyTorch's values") {
  constexpr zoo::transformer sizes{.layers = 2, .width = 48, .heads = 3, .dropout = 0};
  constexpr auto small = block_by_block<3, 16, 16>(zoo::vit<sizes, 4, 10>);
  check_values(values_of_second_image(small, 3), {0.0682825f, -1.75613f, -0.83417f, 1.02422f, 0.342329f, -0.46255f, 0.837581f, 1.09942f,
                                                  -0.156711f, 1.16522f});
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
