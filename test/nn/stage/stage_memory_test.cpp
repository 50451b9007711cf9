// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/flatten.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/layers/residual.hpp>
#include <ipuflow/nn/stage/stage_memory.hpp>
#include <ipuflow/nn/stage/plan_of_stage.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace stage_memory_test {

using namespace ipuflow;
using nn::area;

namespace {

constexpr auto network =
    pipeline(input<float, 64>, per_sample<"label", std::uint8_t>,
             stage(block<"A">(nn::linear<64>, keep<"skip">, nn::tanh, nn::linear<64>, use<"skip">(nn::add))),
             stage(block<"B">(nn::linear<32>, use<"label">(nn::cross_entropy))));

template <std::size_t Stage>
constexpr auto layout(std::size_t samples) {
  return nn::layout_of(nn::planned<decltype(network), Stage, float>, samples);
}

constexpr std::size_t group = nn::lane_count * sizeof(float);  // bytes of a lane vector

}  // namespace

TEST_CASE("Messages of neighbours have the same bytes, forward and back") {
  for (const std::size_t samples : {std::size_t{1}, nn::lane_count, nn::lane_count + 1, 5 * nn::lane_count}) {
    const auto a = layout<0>(samples);
    const auto b = layout<1>(samples);
    CHECK(a.bytes_of_values(area::exit) == b.bytes_of_values(area::entry));
    CHECK(a.bytes_of_gradients(area::exit) == b.bytes_of_gradients(area::entry));
    CHECK(a.bytes_of_gradients(area::entry) == 0_B);
    CHECK(a.groups == nn::groups_for(samples));
  }
}

TEST_CASE("What is kept is what a backward pass reads: the output of tanh, and the gradients of both linear layers") {
  const auto a = layout<0>(3 * nn::lane_count);
  CHECK(a.bytes_of_values(area::kept) == bytes{64 * group * 3});
  CHECK(a.bytes_of_gradients(area::kept) == bytes{2 * 64 * group * 3});
  CHECK(a.sum_offset > 0);  // the skip's gradient is added
}

TEST_CASE("A sequence takes the memory of its positions: a sample that fills vectors shares none") {
  constexpr std::size_t positions = 2 * nn::lane_count;
  constexpr auto texts = single_stage(input<float, positions, 3>, per_sample<"label", std::uint8_t>,
                                      block<"A">(nn::linear<5>, nn::tanh, nn::flatten, nn::linear<2>, use<"label">(nn::cross_entropy)));
  constexpr auto& plan = nn::planned<std::remove_const_t<decltype(texts)>, 0, float>;
  const auto it = std::find_if(plan.slots.begin(), plan.slots.end(), [](const nn::slot_plan& slot) { return slot.elements == 5 * positions; });
  REQUIRE(it != plan.slots.end());
  for (const std::size_t samples : {std::size_t{1}, std::size_t{3}, nn::lane_count}) CHECK(it->bytes_of(samples) == samples * 2 * 5 * group);
  CHECK(plan.slots[1].bytes_of(1) == nn::lane_count);  // labels: samples are in lanes
  CHECK(plan.slots[1].bytes_of(nn::lane_count) == nn::lane_count);
}

TEST_CASE("Every value is aligned, small ones too") {
  const auto a = layout<0>(1);
  for (const std::size_t offset : a.value_offset) CHECK(offset % nn::area_alignment == 0);
  for (const std::size_t offset : a.gradient_offset) CHECK(offset % nn::area_alignment == 0);
  nn::stage_memory memory;
  std::byte here[1];
  memory.value(area::exit) = memory.gradient(area::kept) = here;
  CHECK(memory.values[3] == here);
  CHECK(memory.gradients[1] == here);
}

}  // namespace stage_memory_test
