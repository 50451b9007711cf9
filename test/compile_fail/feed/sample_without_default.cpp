// SPDX-License-Identifier: BSL-1.0
// Samples that cannot be made without arguments.
// expect: ipuflow: a step has room for samples before they are there, but one, or a field of it, is not made without arguments; give its type a default constructor
#include <ipuflow/feed.hpp>

#include <vector>

using namespace ipuflow;

struct point {
#ifndef EXPECT_FAILURE
  point() = default;
#endif
  explicit point(int at) : x{at} {}
  int x = 0;
};

void walk(const std::vector<point>& points) { auto steps = feed::load(points, 4); }
