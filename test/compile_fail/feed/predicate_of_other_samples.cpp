// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a filter can be called neither with the sample nor with its fields, or does not answer true or false; let it do both, const
#include <ipuflow/feed/adaptors/filter.hpp>

#include <string>
#include <vector>

using namespace ipuflow;

auto filters(const std::vector<int>& labels) {
#ifdef EXPECT_FAILURE
  return labels | feed::filter([](const std::string& label) { return label == "7"; });
#else
  return labels | feed::filter([](int label) { return label == 7; });
#endif
}
