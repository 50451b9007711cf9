// SPDX-License-Identifier: BSL-1.0
// A stream of elements that cannot be copied.
// expect: ipuflow: a stream cannot be read from vector<unique_ptr<int.*; give a range of what can be copied, or a function without arguments that returns a std::optional
#include <ipuflow/run/stream.hpp>

#include <memory>
#include <vector>

using namespace ipuflow;

int twice(int x) { return 2 * x; }
void print(int) {}

#ifdef EXPECT_FAILURE
void runs(std::vector<std::unique_ptr<int>>& v) { run::stream(v, [](std::unique_ptr<int> p) { return *p; }, print); }
#else
void runs(std::vector<std::shared_ptr<int>>& v) { run::stream(v, [](std::shared_ptr<int> p) { return *p; }, print); }
#endif
