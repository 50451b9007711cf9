// SPDX-License-Identifier: BSL-1.0
// A run that is not given a value of per_run.
// expect: ipuflow: the pipeline declares per_run<.*limit.*, ...> but the run is not given it; add with<
#include <ipuflow/graph.hpp>
#include <ipuflow/run/on_threads.hpp>
#include <ipuflow/schedule/generators/inference.hpp>

#include <optional>

using namespace ipuflow;

int cut(int x, int limit) { return x < limit ? x : limit; }

constexpr auto cuts = single_stage(input<int>, per_run<"limit", int>, block<"cut">(use<"limit">(cut)));
constexpr auto timetable = schedule::inference(cuts, micro_batches<8>);

std::optional<int> number() { return {}; }
void print(int) {}

#ifdef EXPECT_FAILURE
void runs() { run::on_threads(cuts, timetable, number, print); }
#else
void runs() { run::on_threads(cuts, timetable, number, print, {}, with<"limit">(7)); }
#endif
