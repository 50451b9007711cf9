// SPDX-License-Identifier: BSL-1.0
// A source of elements that cannot be copied.
// expect: ipuflow: a source copies the elements of vector<unique_ptr<int.*, which cannot be copied; give a function that moves them out
#include <ipuflow/run/stream.hpp>

#include <memory>
#include <vector>

using namespace ipuflow;

int twice(int x) { return 2 * x; }
void print(int) {}

#ifdef EXPECT_FAILURE
auto source(std::vector<std::unique_ptr<int>>& v) { return run::source_of(v); }
#else
auto source(std::vector<std::shared_ptr<int>>& v) { return run::source_of(v); }
#endif
