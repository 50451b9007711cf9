// SPDX-License-Identifier: BSL-1.0
// The networks that the planner knows by name. Each is described in a file of its own, in all the numbers that it can have, and
// with bytes at its entry where it sees images.
#pragma once

#include <ipuflow/train/planning/planner.hpp>

#include <string_view>
#include <vector>

namespace pipeline_planner {

using namespace ipuflow;

/// All versions of a network whose halves and floats are two descriptions. The halves serve 16.32 as well: there weights are floats.
template <class Floats, class Halves, class Optimiser, class OfHalves>
std::vector<train::planned_network> versions_of(const Floats& floats, const Halves& halves, const Optimiser& of_floats, const OfHalves& of_halves,
                                                bool bytes_in = false) {
  return {train::planned(floats, plan::numbers::f32_32, of_floats, bytes_in), train::planned(halves, plan::numbers::f16_32, of_floats, bytes_in),
          train::planned(halves, plan::numbers::f16_16, of_halves, bytes_in)};
}

/// Those of a network and of the same network whose images come as bytes.
inline std::vector<train::planned_network> together(std::vector<train::planned_network> numbers, const std::vector<train::planned_network>& bytes) {
  numbers.insert(numbers.end(), bytes.begin(), bytes.end());
  return numbers;
}

std::vector<train::planned_network> resnet101();
std::vector<train::planned_network> resnet50();
std::vector<train::planned_network> bert_large();
std::vector<train::planned_network> bert_base();
std::vector<train::planned_network> mnist();
std::vector<train::planned_network> small_gpt();

struct known_network {
  std::string_view name;
  std::vector<train::planned_network> (*versions)();
};
inline constexpr known_network known_networks[] = {
    {"resnet101", resnet101}, {"resnet50", resnet50}, {"bert_large", bert_large}, {"bert_base", bert_base}, {"mnist", mnist}, {"small_gpt", small_gpt}};

}  // namespace pipeline_planner
