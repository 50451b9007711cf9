// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a transform can be called neither with the sample nor with its fields; let its parameters be one of the two, and its call operator const
#include <ipuflow/feed/adaptors/map.hpp>

#include <list>

using namespace ipuflow;

void maps(const std::list<int>& d) {
#ifdef EXPECT_FAILURE
  const auto add = [calls = 0](int i) mutable { return i + calls++; };
#else
  const auto add = [calls = 0](int i) { return i + calls; };
#endif
  (void)(d | feed::map(add));
}
