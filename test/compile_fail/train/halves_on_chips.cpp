// SPDX-License-Identifier: BSL-1.0
// A rule of a user's own whose update comes in halves, of which the first one wants to change parameters.
// expect: ipuflow: prepare and finish of .*by_length are none that tiles can call; write sums_type, an array of real numbers, prepare.std::span<const float>, gradients, state, step. const and finish as train::lamb has them
#include <ipuflow/core.hpp>
#include <ipuflow/feed/column.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/chips.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

using namespace ipuflow;

constexpr auto network = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>,
                                  stage(block<"a">(nn::linear<8>, nn::relu)).ipu<0>(),
                                  stage(block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy))).ipu<1>());
constexpr auto timetable = schedule::grouped(network, micro_batches<4>);

struct by_length {
  using state_type = float;
  static constexpr std::size_t states = 0;
  using sums_type = std::array<float, 1>;
  void update(std::span<float>, std::span<const float>, std::span<float>, std::size_t) const {}
#ifdef EXPECT_FAILURE
  sums_type prepare(std::span<float>, std::span<const float>, std::span<float>, std::size_t) const { return {}; }
#else
  sums_type prepare(std::span<const float>, std::span<const float>, std::span<float>, std::size_t) const { return {}; }
#endif
  void finish(std::span<float>, std::span<float>, std::size_t, const sums_type&) const {}
};

void train() { train::session session{network, timetable, by_length{}, {}, on::chips{}}; }
