// SPDX-License-Identifier: BSL-1.0
// The networks that the planner knows by name. Each is described in a file of its own, in all the numbers that it can have, and
// with bytes at its entry where it sees images.
#pragma once

#include <ipuflow/nn/stage/block_chain.hpp>
#include <ipuflow/train/planning/planner.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace pipeline_planner {

using namespace ipuflow;

/// A network with numbers of one kind: for the planner, and as a chain of blocks to be balanced.
struct network_version {
  train::planned_network planned;
  std::vector<plan::chain_block> (*chain)(const ipu::architecture&, const plan::lowering_options&);
};

template <const auto& Network, class Optimiser>
network_version version_of(plan::numbers precision, const Optimiser& trained_by, bool bytes_in = false) {
  return {train::planned(Network, precision, trained_by, bytes_in),
          [](const ipu::architecture& chip, const plan::lowering_options& how) { return nn::block_chain(Network, chip, how); }};
}

/// All versions of a network whose halves and floats are two descriptions. The halves serve 16.32 as well: there weights are floats.
template <const auto& Floats, const auto& Halves, class Optimiser, class OfHalves>
std::vector<network_version> versions_of(const Optimiser& of_floats, const OfHalves& of_halves) {
  return {version_of<Floats>(plan::numbers::f32_32, of_floats), version_of<Halves>(plan::numbers::f16_32, of_floats),
          version_of<Halves>(plan::numbers::f16_16, of_halves)};
}

/// The same with two more descriptions, whose images come as bytes.
template <const auto& Floats, const auto& Halves, const auto& BytesToFloats, const auto& BytesToHalves, class Optimiser, class OfHalves>
std::vector<network_version> versions_of(const Optimiser& of_floats, const OfHalves& of_halves) {
  std::vector<network_version> made = versions_of<Floats, Halves>(of_floats, of_halves);
  made.push_back(version_of<BytesToFloats>(plan::numbers::f32_32, of_floats, true));
  made.push_back(version_of<BytesToHalves>(plan::numbers::f16_32, of_floats, true));
  made.push_back(version_of<BytesToHalves>(plan::numbers::f16_16, of_halves, true));
  return made;
}

std::vector<network_version> resnet101();
std::vector<network_version> resnet50();
std::vector<network_version> bert_large();
std::vector<network_version> mnist();
std::vector<network_version> small_gpt();

struct known_network {
  std::string_view name;
  std::vector<network_version> (*versions)();
};
inline constexpr known_network known_networks[] = {
    {"resnet101", resnet101}, {"resnet50", resnet50}, {"bert_large", bert_large}, {"mnist", mnist}, {"small_gpt", small_gpt}};

/// A planner of a network in all its versions, on chips of one kind.
inline train::planner planner_of(const ipu::architecture& chip, const std::vector<network_version>& versions) {
  std::vector<train::planned_network> planned;
  for (const network_version& v : versions) planned.push_back(v.planned);
  return {chip, std::move(planned)};
}

}  // namespace pipeline_planner
