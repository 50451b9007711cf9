// SPDX-License-Identifier: BSL-1.0
// A sink of texts for a pipeline that makes numbers.
// expect: ipuflow: .*string.* is no sink of this pipeline; give a function whose parameters are what leaves the last stage
#include <ipuflow/graph.hpp>
#include <ipuflow/run/on_threads.hpp>
#include <ipuflow/schedule/generators/inference.hpp>

#include <optional>
#include <string>

using namespace ipuflow;

int twice(int x) { return 2 * x; }
double half_of(int x) { return x / 2.0; }

constexpr auto halves = pipeline(input<int>, stage(block<"twice">(twice)).ipu<0>(), stage(block<"half">(half_of)).ipu<1>());
constexpr auto timetable = schedule::inference(halves, micro_batches<8>);
std::optional<int> number() { return 1; }

#ifdef EXPECT_FAILURE
void print(const std::string&) {}
#else
void print(double) {}
#endif

void runs() { run::on_threads(halves, timetable, number, print); }
