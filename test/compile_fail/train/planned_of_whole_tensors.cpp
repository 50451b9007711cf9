// SPDX-License-Identifier: BSL-1.0
// A plan by a rule of a user's own that looks at whole tensors, and does not say what becomes of their parts on tiles.
// expect: ipuflow: .*by_length looks at whole tensors, of which a tile has a part; give it sums_type, prepare and finish, as train::lamb has
#include <ipuflow/core.hpp>
#include <ipuflow/feed/column.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/chips.hpp>
#include <ipuflow/train/planning/planned_network.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

using namespace ipuflow;

constexpr auto network = single_stage(input<float, 4>, per_sample<"class", std::uint8_t>, block<"a">(nn::linear<8>, nn::relu),
                                      block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy)));

struct by_length {
  using state_type = float;
  static constexpr std::size_t states = 0;
#ifdef EXPECT_FAILURE
  static constexpr bool whole_tensors = true;
#endif
  template <class Parameter>
  void update(std::span<Parameter>, std::span<const float>, std::span<float>, std::size_t) const {}
};
train::planned_network plan() { return train::planned(network, plan::numbers::f32_32, by_length{}); }
