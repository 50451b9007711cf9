// SPDX-License-Identifier: BSL-1.0
// The path of a file where its lines are read from a stream.
// expect: ipuflow: lines are read from a stream; give lines_of a std::ifstream of the file, or std::cin
#include <ipuflow/run/stream.hpp>

#include <fstream>
#include <string>

using namespace ipuflow;

int twice(int x) { return 2 * x; }
void print(int) {}

#ifdef EXPECT_FAILURE
auto lines(const std::string& path) { return run::lines_of(path); }
#else
auto lines(std::ifstream& text) { return run::lines_of(text); }
#endif
