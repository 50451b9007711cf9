// SPDX-License-Identifier: BSL-1.0
// A tied layer names a layer that is not there.
// expect: ipuflow: op 1 of block \\'head\\' shares the weights of \\'embed\\', but no layer has this name; say its block and which of its ops it is, as in nn::tied<\\?"embed\[0\]\\?">
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstdint>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto head = nn::tied<"embed">(nn::linear<20>);
#else
constexpr auto head = nn::tied<"embed[0]">(nn::linear<20>);
#endif
constexpr auto p = single_stage(input<std::uint8_t, 16>, block<"embed">(nn::embedding<20, 24>), block<"head">(nn::layer_norm, head));
static_assert(nn::parameter_count(p) == 20 * 24 + 2 * 24 + 20);
