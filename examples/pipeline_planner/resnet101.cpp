// SPDX-License-Identifier: BSL-1.0
// ResNet-101 over images of 64 x 64 in ten classes, trained by AdamW. Where weights are halves the first means are, too.
#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/zoo/resnet.hpp>
#include <pipeline_planner/images.hpp>
#include <pipeline_planner/networks.hpp>

namespace pipeline_planner {

namespace {

constexpr auto network = zoo::resnet101<10>;
constexpr auto floats = of_numbers<float, 3, 64, 64>(network);
constexpr auto halves = of_numbers<half, 3, 64, 64>(network);
constexpr auto bytes_to_floats = of_bytes<float, 3, 64, 64>(network);
constexpr auto bytes_to_halves = of_bytes<half, 3, 64, 64>(network);

}  // namespace

std::vector<train::planned_network> resnet101() {
  constexpr train::adamw of_floats{};
  constexpr train::basic_adam<train::decay::decoupled, half, float> of_halves{};
  return together(versions_of(floats, halves, of_floats, of_halves), versions_of(bytes_to_floats, bytes_to_halves, of_floats, of_halves, true));
}

}  // namespace pipeline_planner
