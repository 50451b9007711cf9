// SPDX-License-Identifier: BSL-1.0
// A rule of a user's own that does not say how much state it keeps.
// expect: ipuflow: .*forgetful is no optimiser; give it state_type, states and update\(values, gradients, state, step\) const
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

using namespace ipuflow;

constexpr auto network = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>,
                                  stage(block<"a">(nn::linear<8>, nn::relu)).ipu<0>(),
                                  stage(block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy))).ipu<1>());
constexpr auto timetable = schedule::grouped(network, micro_batches<4>);

struct forgetful {
  using state_type = float;
#ifndef EXPECT_FAILURE
  static constexpr std::size_t states = 0;
#endif
  void update(std::span<float>, std::span<const float>, std::span<float>, std::size_t) const {}
};

void train() { train::session session{network, timetable, forgetful{}, {}}; }
