// SPDX-License-Identifier: BSL-1.0
// On tiles a table of tokens stands column after column, and a layer that shares it reads rows.
// expect: ipuflow: op 1 of block \\'A\\', .*tied_t.*, cannot run on tiles without reads_by_columns\(layer\); write it in the namespace of the layer, or include <ipuflow/chips.hpp> for those of nn
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/nn/lowerings/embedding_lowering.hpp>
#include <ipuflow/nn/lowerings/tied_lowering.hpp>
#include <ipuflow/nn/stage/tile_stage.hpp>

#include <cstdint>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto positions = nn::tied<"A[0]">(nn::position_embedding_up_to<20>);
#else
constexpr auto positions = nn::position_embedding_up_to<20>;
#endif
constexpr auto p = single_stage(input<std::uint8_t, 16>, block<"A">(nn::embedding<20, 24>, positions));
static_assert(nn::tile_stage<std::remove_const_t<decltype(p)>, 0>::plan.parameters == 2 * 20 * 24);
