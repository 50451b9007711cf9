// SPDX-License-Identifier: BSL-1.0
// Blocks of one stage on two IPUs.
// expect: ipuflow: stage 0 is on one IPU, but block \\'b\\' in it is placed on IPU 3 and one before it on IPU 2; place the stage, stage\(...\)\.ipu<2>\(\), or make two of it
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(stage(block<"a">(add_one).ipu<2>(), block<"b">(add_one).ipu<3>()), block<"c">(add_one));
#else
constexpr auto p = pipeline(stage(block<"a">(add_one), block<"b">(add_one).ipu<3>()), block<"c">(add_one));
static_assert(p.ipu_of(0) == 3 && p.ipu_of(1) == 4);
#endif
