// SPDX-License-Identifier: BSL-1.0
// Samples of a transform that returns none.
// expect: ipuflow: a dataset or a transform gives nothing for a sample; let it return one
#include <ipuflow/feed.hpp>

#include <vector>

using namespace ipuflow;

void count(const std::vector<int>& numbers) {
  int seen = 0;
#ifdef EXPECT_FAILURE
  const auto counted = numbers | feed::map([&](int n) { seen += n; });
#else
  const auto counted = numbers | feed::map([&](int n) { return seen += n; });
#endif
  auto steps = feed::load(counted, 4);
}
