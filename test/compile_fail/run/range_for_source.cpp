// SPDX-License-Identifier: BSL-1.0
// A range where a source belongs.
// expect: ipuflow: vector<int.* is no source; give a function without arguments that returns a std::optional, or source_of\(range\)
#include <ipuflow/graph.hpp>
#include <ipuflow/run/on_threads.hpp>
#include <ipuflow/schedule/generators/inference.hpp>

#include <vector>

using namespace ipuflow;

int twice(int x) { return 2 * x; }
double half_of(int x) { return x / 2.0; }

constexpr auto halves = pipeline(input<int>, stage(block<"twice">(twice)).ipu<0>(), stage(block<"half">(half_of)).ipu<1>());
constexpr auto timetable = schedule::inference(halves, micro_batches<8>);
void print(double) {}

#ifdef EXPECT_FAILURE
void runs(std::vector<int>& numbers) { run::on_threads(halves, timetable, numbers, print); }
#else
void runs(std::vector<int>& numbers) { run::on_threads(halves, timetable, run::source_of(numbers), print); }
#endif
