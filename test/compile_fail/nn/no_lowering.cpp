// SPDX-License-Identifier: BSL-1.0
// A layer that says what it computes on the host is asked to run on tiles.
// expect: ipuflow: op 1 of block \\'A\\', .*twice_t, cannot run on tiles without lower_forward\(layer, nn::forward_lowering<.*\); write it in the namespace of the layer, or include <ipuflow/chips.hpp> for those of nn
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/nn/lowerings/activation_lowering.hpp>
#include <ipuflow/nn/stage/tile_stage.hpp>

using namespace ipuflow;

struct twice_t {};

template <class In>
constexpr In output_of(twice_t, In) {
  return {};
}
template <class In>
constexpr nn::layer_facts facts(twice_t, In) {
  return {};
}

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<float, 3>, block<"A">(nn::relu, twice_t{}), block<"B">(nn::relu));
#else
constexpr auto p = pipeline(input<float, 3>, block<"A">(nn::relu, nn::tanh), block<"B">(nn::relu));
#endif

static_assert(nn::tile_stage<std::remove_const_t<decltype(p)>, 0>::plan.parameters == 0);
