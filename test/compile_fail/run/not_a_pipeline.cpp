// SPDX-License-Identifier: BSL-1.0
// A block is run where a pipeline belongs.
// expect: ipuflow: .*block_t<.* is no pipeline that can be run; make one of it with pipeline\(\) or single_stage\(\)
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
void runs() { run::on_threads(block<"twice">(twice), timetable, number, print); }
#else
void runs() { run::on_threads(halves, timetable, number, print); }
#endif
