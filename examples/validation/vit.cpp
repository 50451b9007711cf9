// SPDX-License-Identifier: BSL-1.0
// ViT-Base in pre-training on 64 chips: pipelines of four with three layers each, images as bytes, micro-batches of 8 of which 512 make
// an update, everything in half, LAMB with floats that replicas share, layers computed again backwards. Shares of attention are dropped,
// and what stands between the two products of a layer, so layers are not the zoo's.
#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <pipeline_planner/images.hpp>
#include <validation/networks.hpp>

#include <cstddef>

namespace validation {

using namespace ipuflow;

namespace {

constexpr std::size_t width = 768, heads = 12;
constexpr auto dropped = nn::dropout<0.1>;

constexpr auto vit = stage(
    block<"embeddings">(nn::conv2d<width, 16, 16>, nn::to_sequence, nn::class_token, nn::position_embedding, dropped),
    repeat<12>(block<"layer">(nn::checkpoint, keep<"x">, nn::layer_norm, nn::linear<3 * width>, keep<"qkv">, nn::attention_scores<heads>,
                              nn::attention_shares, dropped, use<"qkv">(nn::weighted_values), nn::linear<width>, dropped, use<"x">(nn::add),
                              keep<"y">, nn::layer_norm, nn::linear<4 * width>, nn::gelu, dropped, nn::linear<width>, dropped,
                              use<"y">(nn::add))),
    block<"head">(nn::layer_norm, nn::position<0>, nn::linear<width>, nn::tanh, nn::linear<1000>));

constexpr auto network = regroup_at<"layer[3]", "layer[6]", "layer[9]">(pipeline_planner::of_bytes<half, 3, 224, 224>(vit));

double images_a_second() {
  constexpr auto timetable = schedule::grouped(network, micro_batches<512>, {.recompute = schedule::recomputation::and_backpropagate});
  const train::session session(
      network, timetable, train::lamb{}, {.micro_batch = 8, .replicas = 16, .shard_optimiser = true},
      on::chips{.system = ipu::pod(ipu::bow, 64), .memory_proportion = 0.3, .half_partials = true}, train::precision<float, half, half>{});
  return samples_a_second(session);
}

}  // namespace

std::vector<validation_row> vit_rows() {
  return {{"T23", "ViT-B, pre-training, Bow Pod64", "img/s", 31'200, images_a_second(), row_class::transformers}};
}

}  // namespace validation
