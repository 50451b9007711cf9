// SPDX-License-Identifier: BSL-1.0
// The vendor's tutorial on pipelines: MNIST over four chips, a step of which is 10 device iterations of 10 micro-batches
// of 40 images, with AdamW. Its progress bar shows 15.04 steps a second, so 60,160 images, host and loader included.
#pragma once

#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <cstddef>
#include <cstdint>

namespace validation {

using namespace ipuflow;

inline constexpr std::size_t digits_in_a_step = 40 * 10 * 10;

/// What the chips take for a step, without the call from the host.
inline seconds digits_step(const ipu::architecture& chip) {
  constexpr auto network = pipeline(input<float, 1, 28, 28>, per_sample<"label", std::uint8_t>,
      stage(block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu)).ipu<0>(),
      stage(block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu)).ipu<1>(),
      stage(block<"B3">(nn::flatten, nn::linear<256>, nn::relu)).ipu<2>(),
      stage(block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<3>());
  constexpr auto timetable = schedule::one_f_one_b(network, micro_batches<10>);
  const train::session session(network, timetable, train::adamw{},
                               {.micro_batch = 40, .device_iterations = 10, .outputs = feed::output_mode::all},
                               on::chips{.system = ipu::pod(chip, 4)});
  return session.cost().chips.time();
}

}  // namespace validation
