// SPDX-License-Identifier: BSL-1.0
// A rule of a user's own whose update may change its figures, which all replicas share.
// expect: ipuflow: .*shrink is no optimiser; give it state_type, states and update\(values, gradients, state, step\) const
#include <ipuflow/core.hpp>
#include <ipuflow/feed/column.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

using namespace ipuflow;

constexpr auto network = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>,
                                  stage(block<"a">(nn::linear<8>, nn::relu)).ipu<0>(),
                                  stage(block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy))).ipu<1>());
constexpr auto timetable = schedule::grouped(network, micro_batches<4>);

struct shrink {
  using state_type = float;
  static constexpr std::size_t states = 0;
#ifdef EXPECT_FAILURE
  void update(std::span<float>, std::span<const float>, std::span<float>, std::size_t) {}
#else
  void update(std::span<float>, std::span<const float>, std::span<float>, std::size_t) const {}
#endif
};

void train() { train::session session{network, timetable, shrink{}, {}}; }
