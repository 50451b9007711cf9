// SPDX-License-Identifier: BSL-1.0
// Options where the sink belongs.
// expect: ipuflow: .*thread_options is no sink of this pipeline; give a function whose parameters are what leaves the last stage
#include <ipuflow/graph.hpp>
#include <ipuflow/run/on_threads.hpp>
#include <ipuflow/schedule/generators/inference.hpp>

#include <optional>

using namespace ipuflow;

int twice(int x) { return 2 * x; }
double half_of(int x) { return x / 2.0; }

constexpr auto halves = pipeline(input<int>, stage(block<"twice">(twice)).ipu<0>(), stage(block<"half">(half_of)).ipu<1>());
constexpr auto timetable = schedule::inference(halves, micro_batches<8>);
std::optional<int> number() { return 1; }
void print(double) {}

#ifdef EXPECT_FAILURE
void runs() { run::on_threads(halves, timetable, number, run::thread_options{.threads = 2}); }
#else
void runs() { run::on_threads(halves, timetable, number, print, run::thread_options{.threads = 2}); }
#endif
