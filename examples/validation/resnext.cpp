// SPDX-License-Identifier: BSL-1.0
// ResNeXt-101 32x4d with group norm, in training: two chips for each of eight replicas, cut before the last activation of the fourth block
// of its third layer, images as bytes, micro-batches of 6 of which 16 make an update with momentum, everything in half, and 32 tiles
// of each chip that load while the others compute.
#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/zoo/resnet.hpp>
#include <pipeline_planner/images.hpp>
#include <validation/networks.hpp>

namespace validation {

using namespace ipuflow;

namespace {

constexpr auto with_group_norm = zoo::resnext101<1000, zoo::stem::large_images, nn::group_norm<32>>;
constexpr auto network = regroup_at<"layer3.3[10]">(pipeline_planner::of_bytes<half, 3, 224, 224>(with_group_norm));
constexpr auto timetable = schedule::grouped(network, micro_batches<16>, {.recompute = schedule::recomputation::automatic});

double images_a_second() {
  const train::session session(
      network, timetable, train::basic_sgd<half>{.momentum = 0.9f, .weight_decay = 1e-4f}, {.micro_batch = 6, .replicas = 8},
      on::chips{.system = ipu::pod(ipu::bow, 16), .io_tiles = 32, .half_partials = true}, train::precision<float, half, half>{});
  return samples_a_second(session);
}

}  // namespace

std::vector<validation_row> resnext_rows() {
  return {{"T22", "ResNeXt-101, Bow Pod16", "img/s", 12'221, images_a_second(), row_class::convolutional}};
}

}  // namespace validation
