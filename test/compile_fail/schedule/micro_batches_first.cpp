// SPDX-License-Identifier: BSL-1.0
// A timetable that is asked for with the micro-batches first.
// expect: ipuflow: a schedule is made neither of a pipeline and micro-batches nor of sizes; ask for \(network, micro_batches<16>\), or \{.ipus = 4, .micro_batches = 16\}
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

using namespace ipuflow;

constexpr auto twice = [](int x) { return 2 * x; };
constexpr auto p = pipeline(input<int>, stage(block<"a">(twice)).ipu<0>(), stage(block<"b">(twice)).ipu<1>());

#ifdef EXPECT_FAILURE
constexpr auto timetable = schedule::grouped(micro_batches<4>, p);
#else
constexpr auto timetable = schedule::grouped(p, micro_batches<4>);
#endif
