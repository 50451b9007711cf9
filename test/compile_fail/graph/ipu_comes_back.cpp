// SPDX-License-Identifier: BSL-1.0
// One stage an IPU, but an IPU is left and comes back.
// expect: ipuflow: block \\'c\\' is in stage 0 but the block before it in stage 1; stages follow the data, so list blocks in the order in which it flows
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr auto p = pipeline(input<int>, block<"a">(add_one).ipu<0>(), block<"b">(add_one).ipu<1>(), block<"c">(add_one).ipu<0>());

#ifdef EXPECT_FAILURE
constexpr auto q = regroup<auto_stage::same_as_ipu>(p);
#else
constexpr auto q = regroup<auto_stage::auto_increment>(p);
#endif
