// SPDX-License-Identifier: BSL-1.0
// ResNet-50 over images of 224 x 224 in a thousand classes, trained by AdamW. Where weights are halves the first means are, too.
#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/zoo/resnet.hpp>
#include <pipeline_planner/images.hpp>
#include <pipeline_planner/networks.hpp>

namespace pipeline_planner {

namespace {

constexpr auto network = zoo::resnet50<>;
constexpr auto floats = of_numbers<float, 3, 224, 224>(network);
constexpr auto halves = of_numbers<half, 3, 224, 224>(network);
constexpr auto bytes_to_floats = of_bytes<float, 3, 224, 224>(network);
constexpr auto bytes_to_halves = of_bytes<half, 3, 224, 224>(network);

}  // namespace

std::vector<train::planned_network> resnet50() {
  constexpr train::adamw of_floats{};
  constexpr train::basic_adam<train::decay::decoupled, half, float> of_halves{};
  return together(versions_of(floats, halves, of_floats, of_halves), versions_of(bytes_to_floats, bytes_to_halves, of_floats, of_halves, true));
}

}  // namespace pipeline_planner
