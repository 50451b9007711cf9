// SPDX-License-Identifier: BSL-1.0
// A source of texts for a pipeline of numbers.
// expect: ipuflow: a source gives .*string.*, which is no input of the pipeline; give its type, or a std::tuple of all inputs and values per sample
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
void print(double) {}

#ifdef EXPECT_FAILURE
std::optional<std::string> number() { return "1"; }
#else
std::optional<int> number() { return 1; }
#endif

void runs() { run::on_threads(halves, timetable, number, print); }
