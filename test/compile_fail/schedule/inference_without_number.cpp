// SPDX-License-Identifier: BSL-1.0
// Inference that is not told the number of its micro-batches. Programs that use both namespaces may call that of the graph.
// expect: ipuflow: a schedule is made neither of a pipeline and micro-batches nor of sizes; ask for \(network, micro_batches<16>\), or \{.ipus = 4, .micro_batches = 16\}
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/schedule/generators/inference.hpp>

using namespace ipuflow;
using namespace ipuflow::schedule;

constexpr auto twice = [](int x) { return 2 * x; };
constexpr auto p = pipeline(input<int>, stage(block<"a">(twice)).ipu<0>(), stage(block<"b">(twice)).ipu<1>());

#ifdef EXPECT_FAILURE
constexpr auto timetable = schedule::inference(p);
#else
constexpr auto timetable = schedule::inference(inference(p), micro_batches<4>);
constexpr auto of_sizes = inference({.ipus = 2, .micro_batches = 4});
#endif
