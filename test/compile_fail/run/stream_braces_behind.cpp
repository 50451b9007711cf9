// SPDX-License-Identifier: BSL-1.0
// Options in braces where the sink of a stream belongs.
// expect: ipuflow: the options of a stream stand behind its source; put them in front
#include <ipuflow/run/stream.hpp>

#include <vector>

using namespace ipuflow;

int twice(int x) { return 2 * x; }
void print(int) {}

#ifdef EXPECT_FAILURE
void runs(std::vector<int>& v) { run::stream(v, twice, twice, print, {.threads = 2}); }
#else
void runs(std::vector<int>& v) { run::stream({.threads = 2}, v, twice, twice, print); }
#endif
