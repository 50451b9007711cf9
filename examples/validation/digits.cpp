// SPDX-License-Identifier: BSL-1.0
// The vendor's tutorial on pipelines: MNIST over four chips, a step of which is 10 device iterations of 10 micro-batches
// of 40 images, with AdamW. Its progress bar shows 15.04 steps a second, so 60,160 images, host and loader included.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <validation/networks.hpp>

#include <cstdint>

namespace validation {

using namespace ipuflow;

std::vector<validation_row> digits_rows() {
  constexpr auto network = pipeline(input<float, 1, 28, 28>, per_sample<"label", std::uint8_t>,
      stage(block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu)).ipu<0>(),
      stage(block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu)).ipu<1>(),
      stage(block<"B3">(nn::flatten, nn::linear<256>, nn::relu)).ipu<2>(),
      stage(block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<3>());
  constexpr auto timetable = schedule::one_f_one_b(network, micro_batches<10>);
  const train::session session(network, timetable, train::adamw{},
                               {.micro_batch = 40, .device_iterations = 10, .outputs = feed::output_mode::all},
                               on::chips{.system = ipu::pod(ipu::mk2, 4)});
  const double step = call_from_python() + session.cost().chips.time().value;
  return {{"N", "MNIST over four chips, host and loader", "items/s", 60'160,
           static_cast<double>(session.samples_per_step()) / step, row_class::convolutional}};
}

}  // namespace validation
