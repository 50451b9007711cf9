// SPDX-License-Identifier: BSL-1.0
// An infeed reads a range or a dataset; the number of its items is no argument.
// expect: ipuflow: an infeed cannot read int; give a range or a dataset, or for a run nothing, and enqueue its items
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/run/feeds.hpp>

using namespace ipuflow;

constexpr auto twice = [](int x) { return 2 * x; };
constexpr auto p = pipeline(input<int>, stage(block<"a">(twice)).ipu<0>(), stage(block<"b">(twice)).ipu<1>());

int main() {
#ifdef EXPECT_FAILURE
  [[maybe_unused]] auto ends = run::feeds(p, 7);
#else
  [[maybe_unused]] auto ends = run::feeds(p, {.prefetch_depth = 7});
#endif
}
