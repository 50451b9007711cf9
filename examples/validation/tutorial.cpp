// SPDX-License-Identifier: BSL-1.0
// The vendor's tutorial on loading data: a small network on images of 128 x 128 in float, 16 a batch, with momentum; on one chip, and
// on two that add up their gradients after each batch. Its program takes the time of calls from Python of 50 device iterations each.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <validation/networks.hpp>

#include <cstddef>
#include <cstdint>

namespace validation {

using namespace ipuflow;

namespace {

constexpr auto network = single_stage(
    input<float, 1, 128, 128>, per_sample<"class", std::int32_t>,
    block<"features">(nn::conv2d<5, 3>, nn::relu, nn::max_pool<2>, nn::conv2d<12, 5>, nn::relu, nn::group_norm<3>),
    block<"classes">(nn::flatten, nn::linear<100>, nn::relu, nn::linear<10>, use<"class">(nn::cross_entropy)));

/// Images a second. The host is given the rate of its loader; in runs of 6 to 12 calls it does not get ahead, so chips wait for it.
double images_a_second(std::size_t replicas, double loaded_a_second) {
  const double batch = 16 * static_cast<double>(replicas);
  const bool made_on_chip = loaded_a_second == 0;
  const train::session session(network, schedule::sharded(network, micro_batches<1>), train::sgd{.rate = 0.001f, .momentum = 0.9f},
                               {.micro_batch = 16, .device_iterations = 50, .replicas = replicas},
                               on::chips{.system = ipu::pod(ipu::mk2, replicas),
                                         .synthetic = made_on_chip,
                                         .prefetch = 0,
                                         .host_time{made_on_chip ? 0 : batch / loaded_a_second},
                                         .call_time{call_from_python()}});
  return static_cast<double>(session.samples_per_step()) / session.cost().chips.time().value;
}

}  // namespace

std::vector<validation_row> tutorial_rows() {
  using enum row_class;
  return {{"D", "small CNN, batch 16, data made on chip", "items/s", 46'739, images_a_second(1, 0), convolutional},
          {"D", "the same, loaded by the host", "items/s", 17'957, images_a_second(1, 37'710), convolutional},
          {"D", "small CNN, two replicas, made on chip", "items/s", 46'384, images_a_second(2, 0), convolutional},
          {"D", "the same, loaded by the host", "items/s", 14'974, images_a_second(2, 42'605), convolutional}};
}

}  // namespace validation
