// SPDX-License-Identifier: BSL-1.0
// Blocks are cut out of a pipeline that has stages already.
// expect: ipuflow: blocks are cut out of a pipeline of one stage, but this one has 2; make one of all its blocks with regroup\(pipeline, stage<...>\(\)\)
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

using namespace ipuflow;

constexpr auto two = pipeline(input<float, 4>, stage(block<"a">(nn::linear<3>)), stage(block<"b">(nn::linear<2>)));

plan::lowered first(ipu::graph& g) {
#ifdef EXPECT_FAILURE
  return nn::network_on_tiles(two).lower(g, {0, 1}, {});
#else
  return nn::network_on_tiles(regroup(two, stage<"a", "b">())).lower(g, {0, 1}, {});
#endif
}
