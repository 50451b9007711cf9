// SPDX-License-Identifier: BSL-1.0
// A source that gives one of two inputs.
// expect: ipuflow: a source gives int, which is no input of the pipeline; give its type, or a std::tuple of all inputs and values per sample
#include <ipuflow/graph.hpp>
#include <ipuflow/run/on_threads.hpp>
#include <ipuflow/schedule/generators/inference.hpp>

#include <optional>
#include <tuple>

using namespace ipuflow;

int sum(int x, int y) { return x + y; }

constexpr auto sums = single_stage(input<int>, input<int>, block<"sum">(sum));
constexpr auto timetable = schedule::inference(sums, micro_batches<8>);

void print(int) {}

#ifdef EXPECT_FAILURE
std::optional<int> number() { return 1; }
#else
std::optional<std::tuple<int, int>> number() { return std::tuple{1, 2}; }
#endif

void runs() { run::on_threads(sums, timetable, number, print); }
