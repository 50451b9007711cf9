// SPDX-License-Identifier: BSL-1.0
// EfficientNet-B4 with convolutions of groups of 16 and group norm, in training: two chips for each replica, images of 380 x 380 as
// bytes, micro-batches of 3, everything in half, and 32 tiles of each chip that load while the others compute. Batches are 6,144 on
// all pods: 256 micro-batches on 16 chips, 64 on 64 and 16 on 256. Updates are by LARS, which wants two lengths of each tensor.
#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/zoo/efficientnet.hpp>
#include <pipeline_planner/images.hpp>
#include <validation/networks.hpp>

#include <cstddef>

namespace validation {

using namespace ipuflow;

namespace {

constexpr auto in_sixteens = zoo::efficientnet_b4<1000, zoo::inverted_blocks{.group = 16, .expansion = 4}, nn::group_norm<4>>;
constexpr auto network = regroup_at<"features.4.0">(pipeline_planner::of_bytes<half, 3, 380, 380>(in_sixteens));

template <std::size_t Replicas, std::size_t Accumulated>
double images_a_second() {
  constexpr auto timetable = schedule::grouped(network, micro_batches<Accumulated>, {.recompute = schedule::recomputation::automatic});
  const train::session session(network, timetable, train::basic_lars<half>{.momentum = 0.885f, .weight_decay = 2.5e-6f},
                               {.micro_batch = 3, .replicas = Replicas},
                               on::chips{.system = ipu::pod(ipu::bow, 2 * Replicas),
                                         .io_tiles = 32,
                                         .memory_proportion = 0.4,
                                         .half_partials = true,
                                         .allow_out_of_memory = true},
                               train::precision<float, half, half>{});
  return samples_a_second(session);
}

}  // namespace

std::vector<validation_row> efficientnet_rows() {
  const auto of = row_class::convolutional;
  const double pod16 = images_a_second<8, 256>(), pod64 = images_a_second<32, 64>(), pod256 = images_a_second<128, 16>();
  return {{"T21", "EfficientNet-B4, groups of 16, Bow Pod16", "img/s", 8936, pod16, of},
          {"T21", "EfficientNet-B4, Pod64 by Pod16", "x", 34'943.0 / 8936, pod64 / pod16, of},
          {"T21", "EfficientNet-B4, Pod256 by Pod16", "x", 117'641.0 / 8936, pod256 / pod16, of}};
}

}  // namespace validation
