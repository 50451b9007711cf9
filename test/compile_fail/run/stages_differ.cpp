// SPDX-License-Identifier: BSL-1.0
// A timetable that was made for another pipeline.
// expect: ipuflow: a timetable of 3 stages is to run a pipeline of 2; make the timetable from that pipeline
#include <ipuflow/graph.hpp>
#include <ipuflow/run/on_threads.hpp>
#include <ipuflow/schedule/generators/inference.hpp>

using namespace ipuflow;

int twice(int x) { return 2 * x; }
double half_of(int x) { return x / 2.0; }

constexpr auto halves = pipeline(input<int>, stage(block<"twice">(twice)).ipu<0>(), stage(block<"half">(half_of)).ipu<1>());

#ifdef EXPECT_FAILURE
constexpr auto timetable = schedule::inference({.ipus = 3, .micro_batches = 8});
#else
constexpr auto timetable = schedule::inference({.ipus = 2, .micro_batches = 8});
#endif

static_assert(accept<run::verify(halves, timetable)>());
