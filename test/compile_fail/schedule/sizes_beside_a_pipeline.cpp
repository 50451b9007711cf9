// SPDX-License-Identifier: BSL-1.0
// Sizes where a pipeline has them, but for the number of micro-batches.
// expect: ipuflow: a schedule is made neither of a pipeline and micro-batches nor of sizes; ask for \(network, micro_batches<16>\), or \{.ipus = 4, .micro_batches = 16\}
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

using namespace ipuflow;

constexpr auto twice = [](int x) { return 2 * x; };
constexpr auto p = pipeline(input<int>, stage(block<"a">(twice)).ipu<0>(), stage(block<"b">(twice)).ipu<1>());

#ifdef EXPECT_FAILURE
constexpr auto timetable = schedule::grouped(p, {.micro_batches = 4});
#else
constexpr auto timetable = schedule::grouped(p, micro_batches<4>);
#endif
