// SPDX-License-Identifier: BSL-1.0
// A stage that does not say what it makes.
// expect: ipuflow: the type that a stage makes is not in its call; say it, expand<int>\(what\)
#include <ipuflow/run/stream.hpp>

#include <vector>

using namespace ipuflow;

int twice(int x) { return 2 * x; }
void print(int) {}

#ifdef EXPECT_FAILURE
void runs(std::vector<int>& v) { run::stream(v, run::expand([](int x, auto give) { give(x); }), print); }
#else
void runs(std::vector<int>& v) { run::stream(v, run::expand<int>([](int x, auto give) { give(x); }), print); }
#endif
