// SPDX-License-Identifier: BSL-1.0
// Rows of memory that ends with their line.
// expect: ipuflow: rows are the memory that they are given; give it a name that outlives them
#include <ipuflow/feed/sources/rows.hpp>

#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
const auto samples = feed::rows(std::vector<float>{1, 2, 3, 4}, 2);
#else
const std::vector<float> memory{1, 2, 3, 4};
const auto samples = feed::rows(memory, 2);
#endif
