// SPDX-License-Identifier: BSL-1.0
// A timetable that has a stage on an IPU where the pipeline has no branch of it.
// expect: ipuflow: the timetable has stage 1 on IPU 2, where the pipeline has no branch of it; make the timetable from this pipeline, or place it
#include <ipuflow/graph.hpp>
#include <ipuflow/run/on_threads.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

using namespace ipuflow;

int twice(int x) { return 2 * x; }
double half_of(int x) { return x / 2.0; }

constexpr auto halves = pipeline(input<int>, stage(block<"twice">(twice)).ipu<0>(), stage(block<"half">(half_of)).ipu<1>());

#ifdef EXPECT_FAILURE
constexpr auto devices = schedule::devices(0, schedule::on_ipus(1, 2));
#else
constexpr auto devices = schedule::devices(0, 1);
#endif

constexpr auto timetable = schedule::grouped(devices, micro_batches<8>, mode::inference);
static_assert(accept<run::verify(halves, timetable)>());
