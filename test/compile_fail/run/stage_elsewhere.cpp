// SPDX-License-Identifier: BSL-1.0
// A timetable that has a stage on another IPU than the pipeline.
// expect: ipuflow: branch 0 of stage 0 is on IPU 1, where the timetable does not have that stage; make the timetable from this pipeline, or place it
#include <ipuflow/graph.hpp>
#include <ipuflow/run/on_threads.hpp>
#include <ipuflow/schedule/generators/inference.hpp>

using namespace ipuflow;

int twice(int x) { return 2 * x; }
double half_of(int x) { return x / 2.0; }

constexpr auto halves = pipeline(input<int>, stage(block<"twice">(twice)).ipu<0>(), stage(block<"half">(half_of)).ipu<1>());
constexpr auto timetable = schedule::inference(halves, micro_batches<8>);

#ifdef EXPECT_FAILURE
constexpr auto placed = place<1, 0>(halves);
#else
constexpr auto placed = place<0, 1>(halves);
#endif

static_assert(accept<run::verify(placed, timetable)>());
