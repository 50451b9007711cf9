// SPDX-License-Identifier: BSL-1.0
// ResNet-50 in training, a replica on each chip, everything in half, batch norm: images come as bytes, micro-batches of 18, gradients
// of 57 of them added up on 16 chips, of 14 on 64 and, so that the batch stays what it was, of 4 on 256. Values are kept at the sums and
// in the last group of blocks. Each update is a call from Python, whose collectives are one for each tensor.
#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/zoo/resnet.hpp>
#include <pipeline_planner/images.hpp>
#include <validation/checkpoints.hpp>
#include <validation/networks.hpp>

#include <boost/hana/drop_back.hpp>
#include <boost/hana/take_back.hpp>

#include <cstddef>

namespace validation {

namespace {

/// The last four blocks, three and the classes, keep all but activations.
constexpr auto kept_resnet50 = hana::unpack(hana::drop_back(zoo::resnet50<>.blocks, hana::size_c<4>), [](const auto&... block) {
  return hana::unpack(hana::take_back(zoo::resnet50<>.blocks, hana::size_c<4>), [&](const auto&... last) {
    return stage(after_checkpoint(block)..., all_checkpoints(last)...);
  });
});

constexpr auto network = pipeline_planner::of_bytes<half, 3, 224, 224>(kept_resnet50);

/// Images a second, with a call for each update that takes so many seconds.
template <std::size_t Accumulated>
double images_a_second(const ipu::chip_system& system, double call) {
  constexpr auto timetable =
      schedule::sharded(network, micro_batches<Accumulated>, schedule::recomputation::and_backpropagate);
  const train::session session(network, timetable, train::sgd{.momentum = 0.9f, .weight_decay = 1e-4f},
                               {.micro_batch = 18, .replicas = system.chips, .parameters = train::rounding::stochastic},
                               on::chips{.system = system,
                                         .call_time{call},
                                         .memory_proportion = 0.16,
                                         .merge_collectives = false,
                                         .half_partials = true,
                                         .allow_out_of_memory = true},
                               train::precision<float, half, half>{});
  return samples_a_second(session);
}

}  // namespace

std::vector<validation_row> resnet_rows() {
  const auto of = row_class::convolutional;
  const double call = call_from_python();
  const double pod16 = images_a_second<57>(ipu::pod(ipu::bow, 16), call), pod64 = images_a_second<14>(ipu::pod(ipu::bow, 64), call),
               pod256 = images_a_second<4>(ipu::pod(ipu::bow, 256), call);
  return {{"T12", "ResNet-50, Bow Pod16", "img/s", 37'061, pod16, of},
          {"T13", "ResNet-50, Bow, Pod64 by Pod16", "x", 3.48, pod64 / pod16, of},
          {"T13", "ResNet-50, Bow, Pod256 by Pod16", "x", 10.4, pod256 / pod16, of},
          {"T15", "ResNet-50, a chip of mk2, MLPerf", "img/s", 1875, images_a_second<57>(ipu::pod(ipu::mk2, 16), 0) / 16, of}};
}

}  // namespace validation
